import pg from 'pg';
import { request } from 'undici';
import { newId } from '#shared/interface/ids.ts';
import { growWhole } from '#test/helpers/grow_whole.ts';
import { growTreeFrom } from '#shared/ledger/growing_tree.ts';
import { createProver, createProvers, type ProverOf } from '#shared/ledger/proofs.ts';
import { publishCheckpoint } from '#shared/ledger/publish.ts';
import { lockTree, saveGrowth } from '#shared/ledger/tree_store.ts';
import { verifyLog } from '#shared/ledger/verify/verify_log.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { eventBatch } from './ingest.ts';
import type { Bench } from './run.ts';

const SENT = 20_000;
const COPIES = 15;
const MANY = 10_000_000;
const PROOFS = 2_000;
const WARM = 400;

/** How fast the tree of a log grows and a log is verified, and how long a proof takes in a log of ten million events. */
export async function ledger({ services, database, startApi, figure }: Bench): Promise<void> {
  const { db, config, now } = services;
  const api = await startApi();
  const sent = { org_id: api.org_id, environment: config.environment };
  for (let count = 0; count < SENT; count += 500) {
    const { body } = await request(`${api.address}/v1/events`, {
      method: 'POST',
      headers: { authorization: `Bearer ${api.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ events: eventBatch(500) }),
    });
    await body.dump();
  }
  await api.stop();

  const copied = { ...sent, org_id: newId('org', now()) };
  await copyEvents(database.owner_url, sent, copied);
  await perSecond(() => growWhole(db, sent, 'warm.example.com'));
  const grown = await perSecond(() => growWhole(db, copied, 'log.example.com'));
  figure('leaves per second that a tree grows by', grown, `${SENT * COPIES} events in the database (limit 100,000)`);

  await publishCheckpoint(services, sent);
  const verified = await perSecond(async () => (await verifyLog(services, sent)).checked);
  figure('events verified per second', verified, 'each with its columns, its leaf and the tree above it');

  const tenant = { ...sent, org_id: newId('org', now()) };
  await plantTree(services, tenant);
  for (const [how, proverOf] of [
    ['as the API makes it', createProvers(db)],
    ['with nothing remembered', () => createProver(db, tenant, MANY)],
  ] as const) {
    const times = await timeProofs(proverOf, tenant);
    const median = Math.round(times[PROOFS / 2] ?? Infinity);
    figure(
      `microseconds for a proof, ${how}`,
      times[PROOFS * 0.95] ?? Infinity,
      `95 of 100 times, of 10,000,000 leaves (limit 2,000); as a rule ${median}`,
    );
  }
}

/** What `work` says that it went through, in a second. */
async function perSecond(work: () => Promise<number>): Promise<number> {
  const start = performance.now();
  const count = await work();
  return (count * 1_000) / (performance.now() - start);
}

/** Rows as wide as those that were sent, under ids and positions of their own. */
async function copyEvents(owner_url: string, from: Tenant, to: Tenant): Promise<void> {
  const client = new pg.Client({ connectionString: owner_url });
  await client.connect();
  await client.query(
    `insert into events select (jsonb_populate_record(e, jsonb_build_object('org_id', $2::text, 'chain_seq', n * ${SENT} + e.chain_seq,
      'id', 'evt_' || upper(left(md5(e.id || n), 26))))).* from events e, generate_series(0, ${COPIES - 1}) n where e.org_id = $1`,
    [from.org_id, to.org_id],
  );
  await client.query('insert into event_logs (org_id, environment, size) values ($1, $2, $3)', [
    to.org_id,
    to.environment,
    SENT * COPIES,
  ]);
  await client.query('vacuum analyze events');
  await client.end();
}

/** The tiles of a log of ten million leaves; there are no events of them. */
async function plantTree({ db }: Bench['services'], tenant: Tenant): Promise<void> {
  await lockTree(db, tenant, 'log.example.com');
  const tree = growTreeFrom(0, Buffer.alloc(0));
  const leaf = Buffer.alloc(32);
  while (tree.size < MANY) {
    leaf.writeUInt32BE(tree.size);
    tree.add(leaf, 0);
    if (tree.size % 250_000 > 0) continue;
    await saveGrowth(db, tenant, { size: tree.size, edge: tree.edge(), tiles: tree.takeFull() });
  }
}

/** How long proofs of leaves all over the log took, in microseconds, the shortest first. */
async function timeProofs(proverOf: ProverOf, tenant: Tenant): Promise<number[]> {
  const times: number[] = [];
  for (let turn = 0; turn < PROOFS + WARM; turn += 1) {
    const start = performance.now();
    await proverOf(tenant, MANY).path((turn * 7_919_117) % MANY);
    if (turn >= WARM) times.push((performance.now() - start) * 1_000);
  }
  return times.toSorted((a, b) => a - b);
}
