import { setTimeout as pause } from 'node:timers/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { request } from 'undici';
import { z } from 'zod';
import { type Db, sql } from '#shared/platform/db.ts';
import { createEndpoint } from '#shared/webhooks/webhook_endpoints.ts';
import { HOUR } from '#shared/values/time.ts';
import type { Bench } from './run.ts';
import { type Book, keepBook } from './faults/book.ts';
import { type Crew, crewTypes, startCrew } from './faults/crew.ts';
import { faultsInHand } from './faults/in_hand.ts';
import { fullDisk, harmsOfPostgres, startRedis } from './faults/harm.ts';

/** How often each process is killed, and each thing done that is over at once. */
const TIMES = Number(process.env['BENCH_FAULTS'] ?? 5);
/** Only faults whose names match this are tried. */
const ONLY = process.env['BENCH_FAULTS_ONLY'] ?? '';
const CONNECTIONS = 3;
/** Longer than jobs are locked: its work is taken over while it still has it. */
const FROZEN = 15_000;
/** A service that is not well after so long does not recover by itself. */
const PATIENCE = 120_000;
const POLL = 50;
const MOST_VERIFIED = 100_000;

/**
 * Breaks the service on purpose while a client sends events without a pause, on either queue: what each fault did to answers, how long it took
 * until a payment made twice came through as a webhook again, and whether anything acknowledged was lost or doubled. At the end the same
 * events are sent to an undisturbed organization, whose alerts must be the same. Exits 1 where anything was lost, doubled or different, or a refusal was
 * other than 429 and 503 with Retry-After. Where it may mount a small disk of its own (on Linux, as root), the disk is filled too.
 */
export async function faults(bench: Bench): Promise<void> {
  await broken(bench, 'queue in PostgreSQL', {}, []);
  const redis = await startRedis(bench.data_dir);
  if (!redis) return console.log('  no redis-server on the PATH: the queue in Redis was not tried');
  await broken(bench, 'queue in Redis', { REDIS_URL: redis.url }, redis.harms(TIMES));
  redis.stop();
}

/** `harm` may tell how long work in hand waited, in milliseconds. */
type Fault = { name: string; times: number; harm(): Promise<number | void> };

async function broken(bench: Bench, title: string, settings: Record<string, string>, more: readonly Fault[]) {
  const { services, database, data_dir } = bench;
  const { db, config } = services;
  if (!database.embedded) throw new Error('this bench breaks the embedded database');
  const receiver = await startReceiver();
  const crew = await startCrew(data_dir, settings);
  const { key, org_id } = await bench.inhabit();
  const tenant = { org_id, environment: config.environment };
  await createEndpoint(db, config, tenant, { url: receiver.url }, services.now());
  const book = keepBook(crew.address, key, CONNECTIONS);
  await recovery(db, book, receiver.alerts, org_id);
  console.log(`  ${title}\n${row('', ['times', 'answers', 'worst, s', 'well after, s', 'lost', 'doubled'])}`);
  const cluster = { owner_url: database.owner_url, directory: database.embedded.directory };
  const tried = [
    ...faultsOf(crew),
    ...faultsInHand(bench, crew, TIMES),
    ...more,
    ...harmsOfPostgres(cluster, TIMES),
    ...(bench.has_own_disk ? [fullDisk(data_dir, 1)] : []),
  ];
  if (!bench.has_own_disk) console.log('  no right to mount: no disk was filled');
  for (const { name, times, harm } of tried.filter(fault => new RegExp(ONLY).test(fault.name))) {
    book.open();
    let slowest = 0;
    for (let time = 0; time < times; time += 1) {
      // At any moment, the same in every run.
      await pause(200 + ((time * 7919) % 1_300));
      slowest = Math.max(slowest, (await harm()) ?? 0, await recovery(db, book, receiver.alerts, org_id));
    }
    const { statuses, worst, untold } = book.answers();
    const refusals = [...statuses.keys()].filter(status => status >= 400);
    if (untold > 0) console.log(`    ${untold} refusals did not say when to try again`);
    if (untold > 0 || refusals.some(status => status !== 429 && status !== 503)) process.exitCode = 1;
    const { lost, doubled } = await account(db, book, org_id);
    if (lost + doubled > 0) process.exitCode = 1;
    const cells = [times, answersText(statuses), seconds(worst), seconds(slowest), lost, doubled];
    console.log(row(name, cells.map(String)));
  }
  await book.close();
  await settled(db, org_id);
  const { lost, doubled } = await account(db, book, org_id);
  const unsent = await undelivered(db, org_id, receiver.alerts);
  const twin = await bench.inhabit();
  await replay(crew.address, key, twin.key);
  await settled(db, twin.org_id);
  const [own, others] = [await alertsOf(db, org_id), await alertsOf(db, twin.org_id)];
  const different = [...own, ...others].filter(alert => own.has(alert) !== others.has(alert));
  for (const alert of different.slice(0, 5)) console.log(`    ${own.has(alert) ? 'own' : 'twin'}: ${alert}`);
  const isIntact = await verifies(crew.address, key);
  if (lost + doubled + different.length + unsent > 0 || !isIntact) process.exitCode = 1;
  bench.figure(
    `${title}: events acknowledged`,
    book.acknowledged.size,
    `lost ${lost}, doubled ${doubled}; log ${isIntact ? 'intact' : 'BROKEN'}`,
  );
  bench.figure(
    `${title}: alerts`,
    own.size,
    `${different.length} other than an undisturbed twin's; ${unsent} without their webhook`,
  );
  await crew.stop();
  await receiver.close();
}

/** Whether the whole log verifies, as many events at a time as one request may name. */
async function verifies(address: string, key: string): Promise<boolean> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const { size } = (await (await request(`${address}/v1/log`, { headers })).body.json()) as { size: number };
  for (let from_seq = 1; from_seq <= size; from_seq += MOST_VERIFIED) {
    const body = JSON.stringify({ from_seq, to_seq: Math.min(size, from_seq + MOST_VERIFIED - 1) });
    const answer = await request(`${address}/v1/log/verify`, { method: 'POST', headers, body });
    if (!((await answer.body.json()) as { ok?: boolean }).ok) return false;
  }
  return true;
}

const faultsOf = (crew: Crew): Fault[] => [
  ...crewTypes.map(type => ({ name: `${type} killed`, times: TIMES, harm: () => crew.kill(type) })),
  ...crewTypes.flatMap(type =>
    [2, -2, 0].map(hours => ({
      name: `the clock of ${type} ${hours === 0 ? 'right again' : `${Math.abs(hours)} h ${hours > 0 ? 'ahead' : 'behind'}`}`,
      times: 1,
      harm: () => crew.skew(type, hours * HOUR),
    })),
  ),
  ...crewTypes
    .filter(type => type !== 'screen' && type !== 'pack')
    .map(type => ({ name: `${type} frozen for ${FROZEN / 1_000} s`, times: 1, harm: () => crew.freeze(type, FROZEN) })),
];

/** How long it takes from now on until a payment that is made twice has come through as a webhook, in milliseconds. */
async function recovery(db: Db, book: Book, received: ReadonlySet<string>, org_id: string): Promise<number> {
  const began = performance.now();
  const event_id = await book.probe(PATIENCE);
  while (performance.now() - began < PATIENCE) {
    const ids = await asked(() =>
      db.anyFirst(sql.type(z.object({ alert_id: z.string() }))`
        select alert_id from alert_events where org_id = ${org_id} and event_id = ${event_id}`),
    );
    if (ids.some(id => received.has(id))) return performance.now() - began;
    await pause(POLL);
  }
  throw new Error(`nothing came of ${event_id} in ${PATIENCE / 1_000} s`);
}

/** Events that were acknowledged and are not there, and those that are there twice; alerts and webhooks too. */
async function account(db: Db, book: Book, org_id: string) {
  const acknowledged = [...book.acknowledged];
  const ids = await asked(() =>
    db.anyFirst(sql.type(z.object({ id: z.string() }))`select id from events where org_id = ${org_id}`),
  );
  const stored = new Set(ids);
  const lost = acknowledged.filter(id => !stored.has(id)).length;
  const { alerts, deliveries } = await asked(() =>
    db.one(sql.type(z.object({ alerts: z.number(), deliveries: z.number() }))`
      select
        (select count(*)::int from (select from alerts where org_id = ${org_id} and detector = 'duplicate_payment'
          group by agent_id, subject having count(*) > 1) d) as alerts,
        (select count(*)::int from (select from webhook_deliveries where org_id = ${org_id} and type = 'alert.created'
          group by endpoint_id, body::jsonb -> 'data' ->> 'alert_id' having count(*) > 1) d) as deliveries`),
  );
  return { lost, doubled: ids.length - stored.size + alerts + deliveries };
}

/** Waits until every event is analyzed and every webhook sent. */
async function settled(db: Db, org_id: string): Promise<void> {
  const began = performance.now();
  const readLeft = () =>
    db.one(sql.type(z.object({ events: z.number(), deliveries: z.array(z.string()).nullable() }))`
      select coalesce((select max(chain_seq) from events where org_id = ${org_id}), 0)
          - coalesce((select sum(seq)::int8 from detection_cursors where org_id = ${org_id}), 0) as events,
        (select array_agg(concat_ws(' ', id, state, attempt_count, generation, next_at, finished_at))
          from webhook_deliveries where org_id = ${org_id} and state <> 'delivered') as deliveries`);
  for (;;) {
    const { events, deliveries } = await asked(readLeft);
    if (events === 0 && deliveries === null) return;
    if (performance.now() - began > PATIENCE)
      throw new Error(
        `the work did not come to an end: ${events} events, ${deliveries?.join(', ') ?? 'no'} deliveries`,
      );
    await pause(POLL);
  }
}

async function undelivered(db: Db, org_id: string, received: ReadonlySet<string>): Promise<number> {
  const ids = await db.anyFirst(sql.type(z.object({ id: z.string() }))`select id from alerts where org_id = ${org_id}`);
  return ids.filter(id => !received.has(id)).length;
}

/** Sends the log of one organization to another, in its order. */
async function replay(address: string, from: string, to: string): Promise<void> {
  for (let after = 0; ;) {
    const read = await request(`${address}/v1/events?after_seq=${after}&limit=200`, {
      headers: { authorization: `Bearer ${from}` },
    });
    const { data } = (await read.body.json()) as { data: { chain_seq: number }[] };
    if (data.length === 0) return;
    const sent = await request(`${address}/v1/events`, {
      method: 'POST',
      headers: { authorization: `Bearer ${to}`, 'content-type': 'application/json' },
      body: JSON.stringify({ events: data }),
    });
    const { accepted } = (await sent.body.json()) as { accepted: number };
    if (accepted !== data.length) throw new Error(`the twin took ${accepted} of ${data.length} events`);
    after = data.at(-1)?.chain_seq ?? after;
  }
}

/** What alerts say, whatever ids they have: by which detector, of which events. */
async function alertsOf(db: Db, org_id: string): Promise<Set<string>> {
  const alerts = await db.anyFirst(sql.type(z.object({ alert: z.string() }))`
    select a.detector || ' ' || string_agg(e.event_id, ' ' order by e.event_id) as alert
    from alerts a join alert_events e on e.org_id = a.org_id and e.alert_id = a.id
    where a.org_id = ${org_id} group by a.id, a.detector`);
  return new Set(alerts);
}

/** A database that has just been broken may have to be asked again. */
async function asked<T>(question: () => Promise<T>): Promise<T> {
  const began = performance.now();
  for (;;) {
    try {
      return await question();
    } catch (error) {
      if (performance.now() - began > PATIENCE) throw error;
      await pause(POLL);
    }
  }
}

/** Takes webhooks, and notes of which alerts they tell. */
async function startReceiver() {
  const alerts = new Set<string>();
  const server = createServer((incoming, answer) => {
    const parts: Buffer[] = [];
    incoming.on('data', part => parts.push(part));
    incoming.on('end', () => {
      const { data } = JSON.parse(Buffer.concat(parts).toString());
      if (data?.alert_id) alerts.add(data.alert_id);
      answer.writeHead(204).end();
    });
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  return {
    alerts,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    close: () => new Promise(resolve => server.close(resolve)),
  };
}

const seconds = (ms: number) => (ms / 1_000).toFixed(1);
const answersText = (statuses: ReadonlyMap<number, number>) =>
  [...statuses]
    .toSorted(([a], [b]) => a - b)
    .map(([status, count]) => `${status === 0 ? 'none' : status} × ${count}`)
    .join(', ');
const row = (name: string, [times = '', answers = '', ...others]: string[]) =>
  `    ${name.padEnd(42)}${times.padStart(5)}  ${answers.padEnd(46)}${others.map(cell => cell.padStart(14)).join('')}`;
