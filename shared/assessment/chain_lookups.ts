import { byTenant } from '#shared/interface/by_tenant.ts';
import { z } from 'zod';
import type { VerifiedReport } from './verify_reports.ts';
import { columnOf, packedRows, type Statement } from '#shared/platform/bulk.ts';
import { type Db, sql } from '#shared/platform/db.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { MINUTE, SECOND, timestamp } from '#shared/values/time.ts';
import type { ChainReader, ChainTransaction } from '#shared/verification/verifier.ts';

/** How long a job has before reconcile queues another. */
const LOOKUP_LEASE = 2 * MINUTE;
/** A transaction that is on its way is looked for again after 15 s, 30 s, 1 min … and no longer than for about four hours. */
const FIRST_WAIT = 15 * SECOND;
const MOST_ATTEMPTS = 10;

/** The statement that stores which transactions would settle open checks. Reconcile sees them as soon as their chains can be read. */
export function lookupsStatement(
  { org_id, environment }: Tenant,
  verified: ReadonlyMap<number, VerifiedReport>,
  networks: ReadonlySet<string>,
  now: number,
): Statement | null {
  const rows = [...verified].flatMap(([chain_seq, { lookups }]) =>
    lookups.map(({ network, hash }) => [chain_seq, network, hash, networks.has(network) ? 'pending' : 'waiting']),
  );
  if (rows.length === 0) return null;
  return sql.unsafe`
    insert into chain_lookups (org_id, environment, chain_seq, network, hash, state, created_at, next_at)
    select distinct ${org_id}, ${environment}, r.*, ${timestamp(now)}::timestamptz, ${timestamp(now)}::timestamptz
    from ${packedRows(rows, ['int8', 'text', 'text', 'text'])} as r
    on conflict do nothing`;
}

export const Lookup = z.object({ network: z.string(), hash: z.string(), attempts: z.number() });
export type Lookup = z.infer<typeof Lookup>;

/** The transactions that are still to be read for an event. */
export const pendingLookups = (db: Db, { org_id, environment }: Tenant, chain_seq: number) =>
  db.any(sql.type(Lookup)`
    select network, hash, attempts from chain_lookups
    where org_id = ${org_id} and environment = ${environment} and chain_seq = ${chain_seq} and state = 'pending'
    order by network, hash`);

/**
 * Stores a chain's answer; true when it settles the look-up. A transaction the chain does not know may be on its way, and one that could
 * not be read may be readable later.
 */
export async function saveAnswer(
  db: Db,
  { org_id, environment }: Tenant,
  chain_seq: number,
  { network, hash, attempts }: Lookup,
  answer: ChainTransaction | 'unknown' | 'unread',
  now: number,
): Promise<boolean> {
  const final = attempts + 1 >= MOST_ATTEMPTS;
  const isFound = typeof answer === 'object';
  const state = isFound || (final && answer === 'unknown') ? 'answered' : final ? 'given_up' : 'pending';
  const next_at = timestamp(now + FIRST_WAIT * 2 ** attempts);
  await db.query(sql.unsafe`
    update chain_lookups set state = ${state}, attempts = attempts + 1, next_at = ${next_at},
      answer = ${isFound ? JSON.stringify(answer) : null}::jsonb
    where org_id = ${org_id} and environment = ${environment} and chain_seq = ${chain_seq} and network = ${network} and hash = ${hash}
      and state = 'pending'`);
  return state === 'answered';
}

const Answer = z.object({
  chain_seq: z.number(),
  network: z.string(),
  hash: z.string(),
  answer: z
    .object({
      succeeded: z.boolean(),
      block_time: z.number(),
      logs: z.array(z.object({ address: z.string(), topics: z.array(z.string()), data: z.string() })),
    })
    .nullable(),
});

/** The stored answers of chains for these events. */
export async function loadAnswers(
  db: Db,
  { org_id, environment }: Tenant,
  chain_seqs: readonly number[],
): Promise<(chain_seq: number) => ChainReader> {
  const rows = await db.any(sql.type(Answer)`
    select chain_seq, network, hash, answer from chain_lookups
    where org_id = ${org_id} and environment = ${environment} and chain_seq = any(${sql.array([...chain_seqs], 'int8')})
      and state = 'answered'`);
  const answers = new Map(rows.map(row => [`${row.chain_seq} ${row.network} ${row.hash}`, row.answer]));
  return chain_seq => ({ transaction: ({ network, hash }) => answers.get(`${chain_seq} ${network} ${hash}`) });
}

const Due = z.object({ org_id: z.string(), environment: z.string(), chain_seq: z.number() });
const MOST_DUE = 500;

/** Marks transactions as pending that waited for one of these chains to be readable; at most 500 a call. */
export async function wakeLookups(db: Db, networks: readonly string[], now: number): Promise<void> {
  const waiting = sql.fragment`state = 'waiting' and network = any(${sql.array([...networks], 'text')})`;
  const candidates = await db.any(sql.type(Due)`
    select org_id, environment, chain_seq from chain_lookups where ${waiting} limit ${MOST_DUE}`);
  await byTenant(candidates, async ({ org_id, environment }, rows) => {
    const here = sql.fragment`org_id = ${org_id} and environment = ${environment} and chain_seq = any(${seqsOf(rows)})`;
    await db.query(sql.unsafe`
      update chain_lookups set state = 'pending', next_at = ${timestamp(now)}
      where ${here} and (chain_seq, network, hash) in (
        select chain_seq, network, hash from chain_lookups where ${here} and ${waiting} for update skip locked)`);
    return [];
  });
}

const seqsOf = (rows: readonly { chain_seq: number }[]) => columnOf(rows, 'chain_seq', 'int8');

/** Takes events whose chains are to be read now, whose jobs may have been lost, and leases them. */
export async function claimDueLookups(db: Db, now: number) {
  const due = sql.fragment`state = 'pending' and next_at <= ${timestamp(now)}`;
  const candidates = await db.any(sql.type(Due)`
    select org_id, environment, chain_seq from chain_lookups where ${due} order by next_at limit ${MOST_DUE}`);
  return byTenant(candidates, ({ org_id, environment }, rows) =>
    db.any(sql.type(Due)`
      with due as materialized (
        select chain_seq, network, hash from chain_lookups
        where org_id = ${org_id} and environment = ${environment} and chain_seq = any(${seqsOf(rows)}) and ${due}
        for update skip locked
      ), leased as (
        update chain_lookups l set next_at = ${timestamp(now + LOOKUP_LEASE)} from due d
        where l.org_id = ${org_id} and l.environment = ${environment} and l.chain_seq = d.chain_seq and l.network = d.network
          and l.hash = d.hash
        returning l.chain_seq
      )
      select distinct ${org_id} as org_id, ${environment} as environment, chain_seq from leased`),
  );
}

/** Since when the oldest transaction has waited for its chain to be asked; null when none waits. */
export const oldestUnread = (db: Db): Promise<string | null> =>
  db.oneFirst(sql.type(z.object({ since: z.string().nullable() }))`
    select min(created_at) as since from chain_lookups where state = 'pending' and attempts = 0`);
