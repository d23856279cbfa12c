import { createHash } from 'node:crypto';
import { z } from 'zod';
import { type Db, sql } from '#shared/platform/db.ts';
import type { Tenant } from './schemas.ts';
import { DAY, timestamp } from '#shared/values/time.ts';

/** How long a response is stored to be repeated. */
export const ANSWER_KEPT = DAY;

/** One use of an Idempotency-Key: `scope` is credential, method, path and key; `body` the request in a normalized spelling. */
export type IdempotencyKeyUse = { scope: string; body: string };

const Stored = z.object({
  same_body: z.boolean(),
  status: z.number(),
  answer: z.string().nullable(),
  record_id: z.string().nullable(),
});
export type StoredAnswer = z.infer<typeof Stored>;

const Lock = z.object({ free: z.boolean() });

/**
 * Takes a key for this transaction. `busy`: another request with it is in progress. Otherwise the stored response of the last 24 h, or
 * null. (Within a transaction a second insert of a key would wait, and its row be invisible: hence the lock.)
 */
export async function claimKey(
  tx: Db,
  tenant: Tenant,
  use: IdempotencyKeyUse,
  now: number,
): Promise<StoredAnswer | 'busy' | null> {
  const { org_id, environment } = tenant;
  const lock = digest(JSON.stringify([org_id, environment, use.scope])).readBigInt64BE();
  const free = await tx.oneFirst(sql.type(Lock)`select pg_try_advisory_xact_lock(${lock}) as free`);
  return free ? findAnswer(tx, tenant, use, now) : 'busy';
}

/** The stored response for a key in the last 24 h, or null. */
export const findAnswer = (
  db: Db,
  { org_id, environment }: Tenant,
  use: IdempotencyKeyUse,
  now: number,
): Promise<StoredAnswer | null> =>
  db.maybeOne(sql.type(Stored)`
    select body_hash = ${sql.binary(digest(use.body))} as same_body, status, answer, record_id from idempotency_keys
    where org_id = ${org_id} and environment = ${environment} and scope = ${sql.binary(digest(use.scope))}
      and created_at > ${timestamp(now - ANSWER_KEPT)}`);

/** Stores a response, in the transaction of its effects. */
export async function storeAnswer(
  tx: Db,
  { org_id, environment }: Tenant,
  use: IdempotencyKeyUse,
  answer: { status: number; answer: string | null; record_id: string | null },
  now: number,
): Promise<void> {
  await tx.query(sql.unsafe`
    insert into idempotency_keys (org_id, environment, scope, body_hash, status, answer, record_id, created_at)
    values (${org_id}, ${environment}, ${sql.binary(digest(use.scope))}, ${sql.binary(digest(use.body))}, ${answer.status},
      ${answer.answer}, ${answer.record_id}, ${timestamp(now)})
    on conflict (org_id, environment, scope) do update set body_hash = excluded.body_hash, status = excluded.status,
      answer = excluded.answer, record_id = excluded.record_id, created_at = excluded.created_at`);
}

const digest = (text: string) => createHash('sha256').update(text).digest();
