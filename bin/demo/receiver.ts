import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { verifyWebhook } from '#api/client/webhook.ts';
import { SECOND } from '#shared/values/time.ts';

/** A webhook receiver as a customer would write it. `verified` and `refused` count what came. */
export type Receiver = {
  url: string;
  secret: string;
  counts: { verified: number; refused: number };
  /** Waits until so many have been verified, or until too long has passed. */
  until(verified: number, within: number): Promise<void>;
  close(): Promise<void>;
};

/** Listens on 127.0.0.1 and checks every signature. */
export async function startReceiver(): Promise<Receiver> {
  const secret = randomBytes(32).toString('hex');
  const counts = { verified: 0, refused: 0 };
  const server = createServer(async (request, response) => {
    const body = await buffer(request);
    const genuine = await verifyWebhook({ body, headers: request.headers, secret }).then(
      () => true,
      () => false,
    );
    counts[genuine ? 'verified' : 'refused'] += 1;
    response.writeHead(genuine ? 204 : 400).end();
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
