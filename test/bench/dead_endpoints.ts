import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { sql } from '#shared/platform/db.ts';
import { createOrganization } from '#shared/people/organizations.ts';
import { insertDeliveries } from '#shared/webhooks/webhook_deliveries.ts';
import { createEndpoint } from '#shared/webhooks/webhook_endpoints.ts';
import { timestamp } from '#shared/values/time.ts';
import type { Bench } from './run.ts';
import { alerts } from './webhooks.ts';

/** Endpoints of one organization, of which half refuse connections, and half take them and never answer. */
export const DEAD = 20;
export const BACKLOG = 60;
const SECONDS = 20;
const PACE = 5;

/**
 * The milliseconds, sorted, from when a delivery to a live endpoint is written until it comes, at an even pace, beside a backlog to dead
 * ones. Half are of another organization, half of one that has two dead endpoints itself.
 */
export async function besideDead({ config, db, queue, now }: Bench['services']): Promise<number[]> {
  const received = new Map<string, number>();
  const live = createHttpServer((request, response) => {
    received.set(String(request.headers['webhook-id']), now());
    request.resume().on('end', () => response.writeHead(204).end());
  });
  const hole = createServer(socket => socket.on('error', () => {}).resume());
  const [live_url, hole_url] = await Promise.all([live, hole].map(addressOf));
  const refusing_url = await refusingAddress();
  const inhabit = async (name: string, urls: (string | undefined)[]) => {
    const { id: org_id } = await createOrganization(db, config.environment, `${name} ${now()}`, now());
    const tenant = { org_id, environment: config.environment };
    for (const url of urls) if (url) await createEndpoint(db, config, tenant, { url }, now());
    return tenant;
  };
  type Tenant = Awaited<ReturnType<typeof inhabit>>;
  const tell = async (tenant: Tenant, count: number) =>
    queue.add('webhook', await insertDeliveries(db, tenant, alerts(count), now()));
  const dead = await inhabit(
    'dead',
    Array.from({ length: DEAD - 2 }, (_, index) => (index % 2 ? hole_url : refusing_url)),
  );
  const mixed = await inhabit('mixed', [refusing_url, hole_url, live_url]);
  const other = await inhabit('other', [live_url]);
  await Promise.all([tell(dead, BACKLOG), tell(mixed, BACKLOG)]);
  // Those above are not counted.
  const since = timestamp(now());
  const start = performance.now();
  for (let sent = 0; sent < SECONDS * PACE; sent += 1) {
    await pause(Math.max(0, start + (sent * 1_000) / PACE - performance.now()));
    await Promise.all([tell(other, 1), tell(mixed, 1)]);
  }
  const written = await db.any(sql.type(Written)`
    select d.id, d.created_at from webhook_deliveries d join webhook_endpoints e on e.id = d.endpoint_id
    where e.url = ${live_url ?? ''} and d.created_at >= ${since}`);
  while (written.some(({ id }) => !received.has(id))) await pause(20);
  for (const server of [live, hole]) server.close();
  live.closeAllConnections();
  return written
    .map(({ id, created_at }) => (received.get(id) ?? NaN) - Date.parse(created_at))
    .toSorted((a, b) => a - b);
}

const Written = z.object({ id: z.string(), created_at: z.string() });

async function addressOf(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`;
}

/** An address where nobody listens any more. */
async function refusingAddress(): Promise<string> {
  const server = createServer();
  const url = await addressOf(server);
  server.close();
  return url;
}
