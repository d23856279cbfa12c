import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { MINUTE, SECOND } from '#shared/values/time.ts';

/** A webhook receiver as a customer would write it. `verified` and `refused` count what came. */
export type Receiver = {
  url: string;
  secret: string;
  counts: { verified: number; refused: number };
  /** Waits until so many have been verified, or until too long has passed. */
  until(verified: number, within: number): Promise<void>;
  close(): Promise<void>;
};

/** Listens on 127.0.0.1 and checks every signature itself: HMAC-SHA256 of `<Service-Timestamp>.<body>`, not older than 5 minutes. */
export async function startReceiver(): Promise<Receiver> {
  const secret = randomBytes(32).toString('hex');
  const counts = { verified: 0, refused: 0 };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const genuine = isGenuine(request.headers, Buffer.concat(chunks), secret);
      counts[genuine ? 'verified' : 'refused'] += 1;
      response.writeHead(genuine ? 204 : 400).end();
    });
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/webhooks`,
    secret,
    counts,
    async until(verified, within) {
      const started = performance.now();
      while (counts.verified < verified && performance.now() - started < within) await sleep(SECOND / 20);
    },
    async close() {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
}

function isGenuine(headers: IncomingHttpHeaders, body: Buffer, secret: string): boolean {
  const time = String(headers['service-timestamp'] ?? '');
  const signature = Buffer.from(String(headers['service-signature'] ?? '').replace(/^v1=/, ''), 'hex');
  const expected = createHmac('sha256', secret).update(`${time}.`).update(body).digest();
  const isFresh = Math.abs(Date.now() - Date.parse(time)) < 5 * MINUTE;
  return isFresh && signature.length === expected.length && timingSafeEqual(signature, expected);
}
