import { createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { ExecutionContext } from 'ava';
import { listening } from './listening.ts';

/** A request as it came over the wire; `at` in milliseconds of a monotonic clock. */
export type Received = { at: number; url: string; headers: IncomingHttpHeaders; raw_headers: string[]; body: Buffer };

/** An answer: a status, or what to do with the response; doing nothing lets the sender hang. */
export type ReceiverAnswer = number | ((response: ServerResponse) => void);

/** A webhook receiver on 127.0.0.1 that keeps what it gets and answers as told; closed when the test ends. */
export async function receiver(
  t: ExecutionContext,
  answer: (request: Received, index: number) => ReceiverAnswer = () => 200,
) {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    const at = performance.now();
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { url = '', headers, rawHeaders } = request;
      const whole = { at, url, headers, raw_headers: rawHeaders, body: Buffer.concat(chunks) };
      const reply = answer(whole, received.push(whole) - 1);
      if (typeof reply === 'function') return reply(response);
      response.writeHead(reply).end();
    });
  });
  const port = await listening(t, server);
  return { url: `http://127.0.0.1:${port}/hook`, port, received, server };
}

/** What has to stand in the header `service-signature` of a request. */
export const serviceSignature = (secret: string, { headers, body }: Received) =>
  `v1=${createHmac('sha256', secret)
    .update(`${String(headers['service-timestamp'])}.`)
    .update(body)
    .digest('hex')}`;
