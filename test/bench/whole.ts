import { Agent, request } from 'undici';
import pg from 'pg';
import { newId } from '#shared/interface/ids.ts';
import { event as made } from '#test/helpers/make.ts';
import { familyWorld } from '#test/worlds/families/world.ts';
import type { Bench } from './run.ts';
import { cpuOf, cpuOfDatabase, memoryOf } from './cpu.ts';

const EVENTS = Number(process.env['BENCH_EVENTS'] ?? 60_000);
const BATCH = 500;
const IN_FLIGHT = 4;
const AGENTS = 2_000;
const DAYS = 30;
const DAY = 86_400_000;
const POLL = 100;

type World = (index: number) => object;
type Batch = { body: string; size: number };

/** 2,000 agents that pay now and then over thirty days, each the few payees it knows. */
export const calm = (index: number): ReturnType<typeof made> => {
  const agent = (index * 7919) % AGENTS;
  return made({
    agent: `agent-${agent}`,
    at: Date.now() - DAYS * DAY + Math.floor((index / EVENTS) * (DAYS - 1) * DAY),
    cents: String(500 + ((agent * 37 + index) % 40) * 25),
    payee: `domain:api-${(agent * 3 + (index % 5)) % 500}.example.com`,
  });
};

/** The same agents for a third of the events; then all of them run wild at once: much more than ever, again and again, within the hour. */
const storm: World = index => {
  const quiet = Math.floor(EVENTS / 3);
  if (index < quiet) return calm(index);
  return made({
    agent: `agent-${index % AGENTS}`,
    at: Date.now() - 3_600_000 + Math.floor(((index - quiet) / (EVENTS - quiet)) * 3_000_000),
    cents: '25000',
    payee: `domain:trap-${index % 7}.example.com`,
  });
};

/** What the agents of organizations do that are drawn at random, in a month sent at once: events say much more, and each agent does something else. */
function drawn(): World {
  const events: object[] = [];
  for (let seed = 1; events.length < EVENTS; seed += 1)
    for (const { input } of familyWorld(seed, 'backfill', Date.now()).events()) {
      const { agent } = input;
      if (!agent || !('external_id' in agent)) continue;
      events.push({ ...input, id: newId('evt'), agent: { ...agent, external_id: `${seed} ${agent.external_id}` } });
      if (events.length === EVENTS) break;
    }
  return index => events[index] ?? {};
}

const worlds = {
  calm: { of: () => calm, goal: 130 },
  storm: { of: () => storm, goal: 200 },
  drawn: { of: drawn, goal: null },
};

/**
 * The whole service beside a client on the same machine, from the first event on: what it takes in, what it analyzes, what that costs in
 * CPU, WAL and disk, and how long an answer takes meanwhile. `BENCH_WHOLE="calm, one process"` runs what contains that.
 */
export async function whole({ database, startAll, startSeveral, figure }: Bench): Promise<void> {
  const { embedded, owner_url } = database;
  if (!embedded) throw new Error('this bench measures the embedded database');
  const client = new pg.Client(owner_url);
  await client.connect();
  for (const [name, { of, goal }] of Object.entries(worlds))
    for (const [shape, start] of [
      ['one process', startAll],
      ['several', startSeveral],
    ] as const) {
      const title = `${name}, ${shape}`;
      if (!title.includes(process.env['BENCH_WHOLE'] ?? '')) continue;
      const service = await start();
      const measured = await measure(client, embedded.directory, service, batchesOf(of(), EVENTS, BATCH));
      const { accepted, analyzed, drain, node, postgres, wal, stored, events, p50, p99 } = measured;
      const count = (value: number) => Math.round(value).toLocaleString('en');
      figure(
        `${title}: accepted per second`,
        accepted,
        `analyzed ${count(analyzed)}/s, drained ${drain.toFixed(1)} s after the last`,
      );
      figure(
        `${title}: µs of CPU an event`,
        node + postgres,
        `node ${count(node)}, PostgreSQL ${count(postgres)}${goal === null ? '' : ` (goal ${goal})`}`,
      );
      figure(`${title}: bytes of WAL an event`, wal, 'goal 2,500');
      figure(`${title}: bytes stored an event`, stored, `events with indexes ${count(events)} (goals 2,200 and 1,600)`);
      figure(`${title}: p99 of an answer, ms`, p99, `p50 ${count(p50)} (goal 250)`);
      const memory = await Promise.all(service.pids.map(memoryOf));
      figure(
        `${title}: most memory, MB`,
        memory.reduce((sum, each) => sum + each, 0),
        `largest process ${count(Math.max(...memory))}`,
      );
      await service.stop();
    }
  await client.end();
}

type Service = Awaited<ReturnType<Bench['startAll']>>;

/** Events of a world in batches of one size, after the first `from` of them. */
export const batchesOf = (world: World, events: number, size: number, from = 0): Batch[] =>
  Array.from({ length: events / size }, (_, batch) => ({
    body: JSON.stringify({
      events: Array.from({ length: size }, (_event, index) => world(from + batch * size + index)),
    }),
    size,
  }));

/** Sends all batches and waits until they are analyzed. Rates a second; CPU in µs and sizes in bytes an event; answers in ms. */
export async function measure(client: pg.Client, cluster: string, service: Service, batches: readonly Batch[]) {
  const count = batches.reduce((sum, { size }) => sum + size, 0);
  const look = async () => {
    const { rows } = await client.query(
      `
      select pg_current_wal_insert_lsn() - '0/0' as wal, pg_database_size(current_database()) as stored,
        pg_total_relation_size('events') as events,
        (select coalesce(sum(seq), 0) from detection_cursors where org_id = $1) as seq`,
      [service.org_id],
    );
    const [{ wal, stored, events, seq }] = rows;
    const node = (await Promise.all(service.pids.map(cpuOf))).reduce((sum, ms) => sum + ms, 0);
    return {
      wal: Number(wal),
      stored: Number(stored),
      events: Number(events),
      seq: Number(seq),
      node: 1_000 * node,
      postgres: 1_000 * (await cpuOfDatabase(cluster)),
      at: performance.now(),
    };
  };
  const before = await look();
  const times = await send(service, batches.values());
  const sent = performance.now();
  let after = await look();
  while (after.seq < before.seq + count) {
    await new Promise(resolve => setTimeout(resolve, POLL));
    after = await look();
  }
  const each = (name: 'wal' | 'stored' | 'events' | 'node' | 'postgres') => (after[name] - before[name]) / count;
  const part = (share: number) => times[Math.floor(times.length * share)] ?? 0;
  return {
    accepted: (count * 1_000) / (sent - before.at),
    analyzed: (count * 1_000) / (after.at - before.at),
    drain: (after.at - sent) / 1_000,
    wal: each('wal'),
    stored: each('stored'),
    events: each('events'),
    node: each('node'),
    postgres: each('postgres'),
    p50: part(0.5),
    p99: part(0.99),
  };
}

/** Sends these batches, some at a time. Returns how long each answer took, in milliseconds, the shortest first. */
async function send({ address, key }: { address: string; key: string }, batches: Iterator<Batch>): Promise<number[]> {
  const dispatcher = new Agent({ connections: IN_FLIGHT });
  const times: number[] = [];
  await Promise.all(
    Array.from({ length: IN_FLIGHT }, async () => {
      for (let next = batches.next(); !next.done; next = batches.next()) {
        const start = performance.now();
        const answer = await request(`${address}/v1/events`, {
          method: 'POST',
          dispatcher,
          headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
          body: next.value.body,
        });
        const { accepted } = (await answer.body.json()) as { accepted: number };
        if (accepted !== next.value.size) throw new Error(`only ${accepted} of ${next.value.size} were accepted`);
        times.push(performance.now() - start);
      }
    }),
  );
  await dispatcher.close();
  return times.toSorted((a, b) => a - b);
}
