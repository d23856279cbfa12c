import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { Agent, request } from 'undici';
import { z } from 'zod';
import { type Db, sql } from '#shared/platform/db.ts';
import { event as made } from '#test/helpers/make.ts';
import { cpuOf, cpuOfDatabase } from './cpu.ts';
import type { Flooded, FloodOrder } from './flood.ts';
import { eventBatch } from './ingest.ts';
import type { Bench } from './run.ts';

const ORGANIZATIONS = 16;
const EACH = 2_500;
const BATCH = 500;
const FLOODING = 8;
const PAIRS = 30;

/**
 * Logs of 16 organizations that wait, analyzed by one `detect` process, by two, by four where there are cores for them; and how long the alert of
 * a small organization takes beside one that floods, with each of them.
 */
export async function scale(bench: Bench): Promise<void> {
  const { services, database, figure, startApi, startWorker, inhabit } = bench;
  const cluster = database.embedded?.directory;
  if (cluster === undefined) throw new Error('this bench measures the embedded database');
  const cores = availableParallelism();
  const api = await startApi();
  const dispatcher = new Agent({ connections: 4 });
  const send = async (key: string, events: unknown[]) => {
    const answer = await request(`${api.address}/v1/events`, {
      method: 'POST',
      dispatcher,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ events }),
    });
    await answer.body.dump();
    if (answer.statusCode !== 200) throw new Error(`answered ${answer.statusCode}`);
  };
  let alone = 0;
  for (const processes of [1, 2, 4]) {
    // One for the database.
    if (processes > Math.max(2, cores - 1)) {
      console.log(`  ${processes} detect processes were not measured: there are ${cores} cores`);
      continue;
    }
    for (let organization = 0; organization < ORGANIZATIONS; organization += 1) {
      const { key } = await inhabit();
      for (let sent = 0; sent < EACH; sent += BATCH) await send(key, eventBatch(BATCH));
    }
    const workers = await Promise.all(Array.from({ length: processes }, () => startWorker('detect')));
    const all = ORGANIZATIONS * EACH;
    // They load for a while: counted from the first that is analyzed.
    while ((await waitingIn(services.db)) >= all) await pause(10);
    const used = async () => [
      ...(await Promise.all(workers.map(({ pid }) => cpuOf(pid)))),
      await cpuOfDatabase(cluster),
    ];
    const [before, began] = [await used(), performance.now()];
    const first = await waitingIn(services.db);
    while ((await waitingIn(services.db)) > 0) await pause(20);
    const seconds = (performance.now() - began) / 1_000;
    const shares = (await used()).map((ms, index) => (ms - (before[index] ?? 0)) / 1_000 / seconds);
    const rate = first / seconds;
    if (processes === 1) alone = rate;
    const cpu = shares.reduce((sum, share) => sum + share, 0);
    figure(
      `analyzed a second, ${ORGANIZATIONS} logs, ${processes} detect`,
      rate,
      `${(rate / alone).toFixed(2)} × one; cores used ${shares.map(share => share.toFixed(2)).join(' + ')} (the last PostgreSQL), ${Math.round((cpu * 1e6) / rate)} µs an event`,
    );
    const { times, flooded } = await alertsBeside(bench, api, send);
    const part = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? NaN;
    figure(
      `ms to an alert, p95, beside a flood, ${processes} detect`,
      part(0.95),
      `limit 1,000; p50 ${Math.round(part(0.5))}, worst ${Math.round(part(1))}; the flood: ${flooded.accepted} events, ${flooded.refused} requests refused`,
    );
    while ((await waitingIn(services.db)) > 0) await pause(100);
    for (const worker of workers) await worker.stop();
  }
  await dispatcher.close();
  await api.stop();
}

/** The milliseconds, sorted, from when a small organization sends a payment twice to the alert, while another one floods. */
async function alertsBeside(
  { inhabit, services: { db } }: Bench,
  { address, key }: { address: string; key: string },
  send: (key: string, events: unknown[]) => Promise<void>,
) {
  const small = await inhabit();
  const order: FloodOrder = { address, key, connections: FLOODING };
  const flood = new Worker(new URL('./flood.ts', import.meta.url), { workerData: order });
  const ended = once(flood, 'message') as Promise<[Flooded]>;
  await pause(2_000);
  const times: number[] = [];
  for (let pair = 1; pair <= PAIRS; pair += 1) {
    const [agent, at] = [`twice-${pair}`, Date.now() - 60_000];
    const began = performance.now();
    await send(small.key, [made({ agent, at }), made({ agent, at: at + 1_000 })]);
    while ((await alertsOf(db, small.org_id)) < pair) await pause(10);
    times.push(performance.now() - began);
    await pause(100);
  }
  flood.postMessage('stop');
  const [flooded] = await ended;
  return { times: times.toSorted((a, b) => a - b), flooded };
}

const Count = z.object({ count: z.number() });

const waitingIn = (db: Db) =>
  db.oneFirst(sql.type(Count)`
    select (select coalesce(sum(size), 0) from event_logs)::int - (select coalesce(sum(seq), 0) from detection_cursors)::int as count`);

const alertsOf = (db: Db, org_id: string) =>
  db.oneFirst(sql.type(Count)`
    select count(distinct agent_id)::int as count from alerts where org_id = ${org_id} and detector = 'duplicate_payment'`);
