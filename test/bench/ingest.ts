import pg from 'pg';
import { ulid } from 'ulid';
import { request, Agent } from 'undici';
import type { Bench } from './run.ts';

const BATCH = 500;
const CONNECTIONS = 8;
const AGENTS = 2_000;
const PAYEES = 500;

/** Durable events per second over HTTP, beside the raw insert of the very same rows by one connection. */
export async function ingest({ database, startApi, figure }: Bench): Promise<void> {
  const batches = 80;
  const api = await startApi();
  const agent = new Agent({ connections: CONNECTIONS });
  const bodies = Array.from({ length: batches }, (_, batch) =>
    JSON.stringify({ events: Array.from({ length: BATCH }, (_, index) => event(batch * BATCH + index)) }),
  );
  const warmup = Array.from({ length: 16 }, (_, batch) =>
    JSON.stringify({ events: Array.from({ length: BATCH }, (_, index) => event(batch * BATCH + index)) }),
  );
  const send = async (all: string[]) => {
    const queue = [...all];
    await Promise.all(
      Array.from({ length: CONNECTIONS }, async () => {
        for (let body = queue.pop(); body; body = queue.pop()) {
          const answer = await request(`${api.address}/v1/events`, {
            method: 'POST',
            dispatcher: agent,
            headers: { authorization: `Bearer ${api.key}`, 'content-type': 'application/json' },
            body,
          });
          const { accepted } = (await answer.body.json()) as { accepted: number };
          if (accepted !== BATCH) throw new Error(`only ${accepted} of ${BATCH} were accepted`);
        }
      }),
    );
  };
  await send(warmup);
  const start = performance.now();
  await send(bodies);
  const durable = (batches * BATCH * 1000) / (performance.now() - start);
  await agent.close();
  await api.stop();
  const raw = await rawInsert(database.owner_url, batches * BATCH);
  figure(
    'durable events per second over HTTP',
    durable,
    `raw insert of the same rows: ${Math.round(raw)}/s, ratio ${(durable / raw).toFixed(2)} (goal 0.8)`,
  );
}

/** `insert … select unnest` of the rows that the API wrote, in batches of the same size, each committed, on a table of the same make. */
async function rawInsert(owner_url: string, rows: number): Promise<number> {
  const client = new pg.Client({
    connectionString: owner_url,
    types: { getTypeParser: () => (value: string) => value },
  });
  await client.connect();
  try {
    await client.query('create table raw_events (like events including all)');
    const columns = await client.query<{ name: string; type: string }>(`
      select a.attname as name, t.typname as type from pg_attribute a join pg_type t on t.oid = a.atttypid
      where a.attrelid = 'events'::regclass and a.attnum > 0 and not a.attisdropped order by a.attnum`);
    const insert = `insert into raw_events select * from unnest(${columns.rows.map(({ type }, index) => `$${index + 1}::${type}[]`).join(', ')})`;
    const batches: unknown[][][] = [];
    for (let from = 0; from < rows; from += BATCH) {
      const { rows: selected } = await client.query<Record<string, unknown>>(
        'select * from events where chain_seq > $1 and chain_seq <= $2 order by chain_seq',
        [from, from + BATCH],
      );
      batches.push(columns.rows.map(({ name }) => selected.map(row => row[name])));
    }
    const start = performance.now();
    for (const batch of batches) await client.query(insert, batch);
    return (rows * 1000) / (performance.now() - start);
  } finally {
    await client.end();
  }
}

let count = 0;

/** So many events that nothing has seen before. */
export const eventBatch = (size: number) => Array.from({ length: size }, (_, index) => event(index));

function event(index: number) {
  count += 1;
  const at = Date.now() - 3_600_000 + count;
  return {
    id: `evt_${ulid(at)}`,
    type: 'payment.settled',
    occurred_at: new Date(at).toISOString(),
    agent: { external_id: `agent-${index % AGENTS}`, name: `Agent ${index % AGENTS}`, framework: 'langgraph' },
    owner: { external_id: `owner-${index % 50}` },
    payment: {
      payment_id: `pay_${count}_${at}`,
      rail: 'x402',
      status: 'settled',
      amount: {
        value: String(1000 + (index % 90) * 100),
        unit: 'atomic',
        asset: { network: 'eip155:8453', address: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913' },
      },
      payee: { key: `domain:api-${index % PAYEES}.example.com`, name: `API ${index % PAYEES}`, type: 'business' },
    },
    resource_url: `https://api-${index % PAYEES}.example.com/v1/search?q=${index}`,
    context: { run_id: `run-${index % 1000}`, tool_name: 'search', tool_call_id: `call_${count}` },
  };
}
