import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { newId } from '#shared/interface/ids.ts';
import { createOrganization } from '#shared/people/organizations.ts';
import { type Db, sql } from '#shared/platform/db.ts';
import { insertDeliveries } from '#shared/webhooks/webhook_deliveries.ts';
import { createEndpoint } from '#shared/webhooks/webhook_endpoints.ts';
import { besideDead, BACKLOG, DEAD } from './dead_endpoints.ts';
import type { Bench } from './run.ts';

const DELIVERIES = Number(process.env['DELIVERIES'] ?? 2_000);
/** 54,000 webhooks of one endpoint in a minute. */
const WANTED = 900;

/** A backlog of one endpoint that answers at once, on the machine that also receives: deliveries a second, and transactions for each. */
export async function webhooks({ services, startWorker, figure }: Bench): Promise<void> {
  const { db } = services;
  const workers = [await startWorker('webhook'), await startWorker('schedule')];
  const before = await transactions(db);
  const { seconds, repeats } = await sendWebhooks(services, DELIVERIES);
  const each = ((await transactions(db)) - before) / DELIVERIES;
  figure('webhooks of one endpoint a second', Math.round(DELIVERIES / seconds), `at least ${WANTED}`);
  figure('database transactions for each', Math.round(each * 100) / 100, `${repeats} came twice`);
  const times = await besideDead(services);
  const part = (share: number) => Math.round(times[Math.floor((times.length - 1) * share)] ?? NaN);
  figure(
    `ms for a webhook beside ${DEAD} dead endpoints, p95`,
    part(0.95),
    `limit 2,000; p50 ${part(0.5)}, worst ${part(1)}; ${BACKLOG} waiting for each of the dead`,
  );
  for (const worker of workers) await worker.stop();
}

/** Has so many webhooks sent to an endpoint of a new organization, and waits until all have come and are recorded. */
export async function sendWebhooks(services: Bench['services'], count: number) {
  const { config, db, queue, now } = services;
  const organization = await createOrganization(db, config.environment, `Webhooks ${now()}`, now());
  const tenant = { org_id: organization.id, environment: config.environment };
  const seen = new Set<string>();
  let repeats = 0;
  let began = 0;
  const server = createServer((request, response) => {
    const id = String(request.headers['webhook-id']);
    if (seen.size === 0) began = performance.now();
    if (seen.has(id)) repeats += 1;
    seen.add(id);
    request.resume().on('end', () => response.writeHead(204).end());
  }).listen(0, '127.0.0.1');
  await new Promise(resolve => server.once('listening', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`;
  await createEndpoint(db, config, tenant, { url }, now());
  for (let made = 0; made < count; made += 500)
    await queue.add('webhook', await insertDeliveries(db, tenant, alerts(Math.min(500, count - made)), now()));
  while (seen.size < count) await sleep(20);
  const seconds = (performance.now() - began) / 1_000;
  await sleep(1_500);
  server.closeAllConnections();
  server.close();
  return { seconds, repeats };
}

export const alerts = (count: number) =>
  Array.from({ length: count }, () => ({
    type: 'alert.created' as const,
    data: { alert_id: newId('alr'), event_id: newId('evt') },
  }));

const transactions = (db: Db) =>
  db.oneFirst(sql.type(z.object({ count: z.int() }))`
    select xact_commit as count from pg_stat_database where datname = current_database()`);
