import pg from 'pg';
import { z } from 'zod';
import { type Db, sql } from '#shared/platform/db.ts';
import { load } from '#test/helpers/lists.ts';
import { capacityOf, costOfEvent, usual } from './capacity/model.ts';
import { type Cost, type Costs, measured } from './capacity/costs.ts';
import { passDay } from './capacity/day.ts';
import { capacityTable } from './capacity/table.ts';
import { bytesOf, cpuOf, cpuOfDatabase } from './cpu.ts';
import type { Bench } from './run.ts';
import { addDuePayees, entryOf, nameMaker } from './screening_flow.ts';
import { sendWebhooks } from './webhooks.ts';
import { batchesOf, calm, measure } from './whole.ts';

const EVENTS = 30_000;
const LARGE = 500;
/** Not among what the costs are made of: what the model says of it is held against what is measured. */
const BETWEEN = 20;
const ENTRIES = 16_000;
const PAYEES = 5_000;
const WEBHOOKS = 2_000;
const types = ['web', 'detect', 'screen', 'webhook', 'schedule'] as const;

/**
 * What an event, a request, a screening and a webhook cost, process by process; beside what the model of capacity goes by, and what it says of
 * a size of request between those that it is made of. Then the table of the manual as it would be by the costs of this run, and a day of it.
 */
export async function capacity(bench: Bench): Promise<void> {
  const { database, services, figure, startSeveral } = bench;
  const cluster = database.embedded?.directory;
  if (cluster === undefined) throw new Error('this bench measures the embedded database');
  const { db } = services;
  const client = new pg.Client(database.owner_url);
  await client.connect();
  const service = await startSeveral();
  let sent = 0;
  const events = (count: number, size: number) => {
    const batches = batchesOf(calm, count, size, sent);
    sent += count;
    return measure(client, cluster, service, batches);
  };

  await events(EVENTS / 3, LARGE);
  const { rest, costOf } = await meter(client, cluster, service.pids);
  let analyzed = 0;
  const large = await costOf(EVENTS, async () => void ({ analyzed } = await events(EVENTS, LARGE)));
  const between = await costOf(EVENTS / 5, () => events(EVENTS / 5, BETWEEN));
  const single = await costOf(EVENTS / 20, () => events(EVENTS / 20, 1));
  const connections = await connectionsOf(db);

  const name = nameMaker();
  await load(
    db,
    Array.from({ length: ENTRIES }, (_, index) => entryOf(String(index), name())),
  );
  const tenant = { org_id: service.org_id, environment: services.config.environment };
  const screen = async (count: number) => {
    await addDuePayees(db, tenant, Array.from({ length: count }, name));
    while ((await waitingPayees(db)) > 0) await new Promise(resolve => setTimeout(resolve, 100));
  };
  // The first look makes the list ready.
  await screen(1);
  const screening = await costOf(PAYEES, () => screen(PAYEES));
  await sendWebhooks(services, WEBHOOKS / 10);
  const webhook = await costOf(WEBHOOKS, () => sendWebhooks(services, WEBHOOKS));
  await service.stop();
  await client.end();

  const request = combine(single, large, (one, many) => Math.max(0, one - many));
  for (const [part, value] of Object.entries(rest)) if (value >= 1) figure(`at rest, a second: ${part}`, value, '');
  const costs: Costs = { event: large, request, screening, webhook, one_log: analyzed };
  for (const unit of ['event', 'request', 'screening', 'webhook'] as const)
    for (const [part, value] of Object.entries(costs[unit]))
      if (value >= 1)
        figure(`${unit}: ${part}`, value, `the model goes by ${count(measured[unit][part as keyof Cost])}`);
  figure('events a second of one log', analyzed, `the model goes by ${count(measured.one_log)}`);
  const alone = { ...usual, batch: BETWEEN, screenings: 0, webhooks: 0 };
  for (const part of ['web', 'detect', 'postgres', 'wal', 'stored', 'network'] as const)
    figure(`${BETWEEN} events a request: ${part}`, between[part], `modelled ${count(costOfEvent(part, alone, costs))}`);
  figure('connections of the five processes', connections, 'without Redis; modelled, with Redis, at most 55');
  console.log(`\n${capacityTable(costs)}\n`);
  simulate(costs, figure);
}

const count = (value: number) => Math.round(value).toLocaleString('en');

/** A hundred million events in a day, with as many processes as the model asks for; and with all that analyze stopped at the peak. */
function simulate(costs: Costs, figure: Bench['figure']) {
  const workload = { ...usual, events_a_day: 1e8 };
  const { processes } = capacityOf(workload, costs);
  const analyzed_a_second = (processes.detect * 1e6) / costOfEvent('detect', workload, costs);
  const day = { ...workload, analyzed_a_second };
  const quiet = passDay(day);
  figure(
    'simulated: most events that wait',
    quiet.most_waiting,
    `100 million a day, ${processes.detect} detect processes`,
  );
  const stopped = passDay({ ...day, stop: { at: 12 * 3_600 - 300, seconds: 600 } });
  figure(
    'simulated: all of these stopped for 10 min at noon',
    stopped.most_waiting,
    `wait at most; the longest ${count(stopped.longest_wait)} s; caught up ${count(stopped.caught_up)} s after`,
  );
}

/**
 * What was used of everything while something was done so many times, for each time, beyond what is used at rest; in µs and bytes. `rest` is
 * what a second of rest uses.
 */
async function meter(client: pg.Client, cluster: string, pids: readonly number[]) {
  const look = async () => {
    const { rows } = await client.query<{ wal: string; stored: string }>(
      `select pg_current_wal_insert_lsn() - '0/0' as wal, pg_database_size(current_database()) as stored`,
    );
    const used = await Promise.all(pids.map(cpuOf));
    const of = (type: (typeof types)[number]) => 1_000 * (used[types.indexOf(type)] ?? 0);
    const through = await Promise.all(pids.map(bytesOf));
    const cost: Cost = {
      web: of('web'),
      detect: of('detect'),
      screen: of('screen'),
      webhook: of('webhook'),
      postgres: 1_000 * (await cpuOfDatabase(cluster)),
      wal: Number(rows[0]?.wal),
      stored: Number(rows[0]?.stored),
      network: through.reduce((sum, each) => sum + each, 0),
    };
    return { cost, at: performance.now() / SECOND };
  };
  const over = async (act: () => Promise<unknown>) => {
    const before = await look();
    await act();
    const after = await look();
    return { used: combine(after.cost, before.cost, (now, then) => now - then), seconds: after.at - before.at };
  };
  const { used, seconds } = await over(() => new Promise(resolve => setTimeout(resolve, REST)));
  const rest = combine(used, used, each => each / seconds);
  const costOf = async (times: number, act: () => Promise<unknown>): Promise<Cost> => {
    const done = await over(act);
    return combine(done.used, rest, (all, idle) => Math.max(0, all - idle * done.seconds) / times);
  };
  return { rest, costOf };
}

const SECOND = 1_000;
const REST = 10 * SECOND;

const combine = (left: Cost, right: Cost, of: (left: number, right: number) => number): Cost => ({
  web: of(left.web, right.web),
  detect: of(left.detect, right.detect),
  screen: of(left.screen, right.screen),
  webhook: of(left.webhook, right.webhook),
  postgres: of(left.postgres, right.postgres),
  wal: of(left.wal, right.wal),
  stored: of(left.stored, right.stored),
  network: of(left.network, right.network),
});

const Count = z.object({ count: z.number() });

const waitingPayees = (db: Db) =>
  db.oneFirst(sql.type(Count)`select count(*)::int as count from payee_screenings where due_at is not null`);

/** Those of the processes, and not this one's. */
const connectionsOf = (db: Db) =>
  db.oneFirst(sql.type(Count)`
    select count(*)::int as count from pg_stat_activity
    where application_name like 'oversight-%' and application_name <> 'oversight-bench'`);
