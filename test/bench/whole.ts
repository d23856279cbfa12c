import { Agent, request } from 'undici';
import pg from 'pg';
import { event as made } from '#test/helpers/make.ts';
import type { Bench } from './run.ts';
import { cpuOf, cpuOfDatabase } from './cpu.ts';

const EVENTS = Number(process.env['BENCH_EVENTS'] ?? 60_000);
const BATCH = 500;
const IN_FLIGHT = 4;
const AGENTS = 2_000;
const DAYS = 30;
const DAY = 86_400_000;
const POLL = 100;

type World = (index: number) => ReturnType<typeof made>;

/** 2,000 agents that pay now and then over thirty days, each the few payees it knows. */
const calm: World = index => {
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

/**
 * The whole service beside a client on the same machine, from the first event on: what it takes in, what it analyzes, what that costs in
 * CPU, WAL and disk, and how long an answer takes meanwhile. With REDIS_URL the queue is there.
 */
export async function whole({ database, startAll, startSeveral, figure }: Bench): Promise<void> {
  const client = new pg.Client(database.owner_url);
  await client.connect();
  for (const [worldName, world] of [
    ['calm', calm],
    ['storm', storm],
  ] as const)
    for (const [shape, start] of [
      ['one process', startAll],
      ['several', startSeveral],
    ] as const) {
      if (process.env['ONLY'] && !`${worldName} ${shape}`.includes(process.env['ONLY'])) continue;
      const service = await start();
      const one = async (text: string) => Object.values((await client.query(text)).rows[0])[0];
      const lsn = async () => Number(await one(`select pg_current_wal_insert_lsn() - '0/0'`));
      const stored = async () => Number(await one(`select pg_database_size(current_database())`));
      const sizeOf = async (table: string) => Number(await one(`select pg_total_relation_size('${table}')`));
      const analyzed = async () =>
        Number(await one(`select seq from detection_cursors where org_id = '${service.org_id}'`).catch(() => 0));
      const before = {
        wal: await lsn(),
        stored: await stored(),
        events: await sizeOf('events'),
        node: cpuOf(service.pids),
        database: cpuOfDatabase(database),
      };
      const bodies = function* () {
        for (let from = 0; from < EVENTS; from += BATCH)
          yield JSON.stringify({ events: Array.from({ length: BATCH }, (_, index) => world(from + index)) });
      };
      const began = performance.now();
      const times = await send(service, bodies());
      const sent = performance.now();
      while ((await analyzed()) < EVENTS) await new Promise(resolve => setTimeout(resolve, POLL));
      const drained = performance.now();
      const each = (value: number) => value / EVENTS;
      const used = {
        node: each(cpuOf(service.pids) - before.node),
        database: each(cpuOfDatabase(database) - before.database),
      };
      const name = `${worldName}, ${shape}: `;
      const rate = (ms: number) => (EVENTS * 1_000) / ms;
      figure(
        `${name}accepted per second`,
        rate(sent - began),
        `analyzed ${Math.round(rate(drained - began))}/s, drained ${((drained - sent) / 1_000).toFixed(1)} s after the last`,
      );
      figure(
        `${name}µs of CPU an event`,
        used.node + used.database,
        `node ${used.node.toFixed(0)}, PostgreSQL ${used.database.toFixed(0)} (goal ${worldName === 'calm' ? 130 : 200})`,
      );
      figure(`${name}bytes of WAL an event`, each((await lsn()) - before.wal), 'goal 2,500');
      figure(
        `${name}bytes stored an event`,
        each((await stored()) - before.stored),
        `events with indexes ${Math.round(each((await sizeOf('events')) - before.events))} (goals 2,200 and 1,600)`,
      );
      figure(
        `${name}p99 of an answer, ms`,
        times[Math.floor(times.length * 0.99)] ?? 0,
        `p50 ${Math.round(times[Math.floor(times.length / 2)] ?? 0)} (goal 250)`,
      );
      await service.stop();
    }
  await client.end();
}

/** Sends these bodies, some at a time. Returns how long each answer took, in milliseconds, the shortest first. */
async function send({ address, key }: { address: string; key: string }, bodies: Iterator<string>): Promise<number[]> {
  const dispatcher = new Agent({ connections: IN_FLIGHT });
  const times: number[] = [];
  await Promise.all(
    Array.from({ length: IN_FLIGHT }, async () => {
      for (let next = bodies.next(); !next.done; next = bodies.next()) {
        const start = performance.now();
        const answer = await request(`${address}/v1/events`, {
          method: 'POST',
          dispatcher,
          headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
          body: next.value,
        });
        const { accepted } = (await answer.body.json()) as { accepted: number };
        if (accepted !== BATCH) throw new Error(`only ${accepted} of ${BATCH} were accepted`);
        times.push(performance.now() - start);
      }
    }),
  );
  await dispatcher.close();
  return times.toSorted((a, b) => a - b);
}
