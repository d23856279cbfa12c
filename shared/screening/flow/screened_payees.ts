import { z } from 'zod';
import { tableOf } from '#shared/platform/bulk.ts';
import { type Db, sql } from '#shared/platform/db.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { timestamp } from '#shared/values/time.ts';

const Row = z.object({
  id: z.string(),
  key: z.string(),
  type: z.string().nullable(),
  name: z.string().nullable(),
  country: z.string().nullable(),
  aliases: z.array(z.string()),
  screening_state: z.enum(['pending', 'clear', 'potential_match', 'confirmed_match', 'false_positive', 'error']),
  screening_id: z.string().nullable(),
  screening_attempts: z.number(),
  is_due: z.boolean(),
});
/** A payee to be screened, with the result of its latest screening. */
export type PayeeRow = z.infer<typeof Row>;

const columns = sql.fragment`id, key, type, name, country, aliases, screening_state, screening_id, screening_attempts,
  screening_due_at is not null as is_due`;

/** Up to `limit` payees that are due, longest waiting first, locked until the transaction ends; others skip them. */
export const takeDuePayees = (tx: Db, { org_id, environment }: Tenant, limit: number, now: number) =>
  tx.any(sql.type(Row)`
    select ${columns} from payees
    where org_id = ${org_id} and environment = ${environment} and screening_due_at <= ${timestamp(now)}
    order by screening_due_at limit ${limit} for update skip locked`);

/**
 * These payees, locked until the transaction ends, in the order in which registration locks them (see `registerPayees`), so that the two
 * cannot deadlock.
 */
export const lockPayees = (tx: Db, { org_id, environment }: Tenant, ids: readonly string[]) =>
  tx.any(sql.type(Row)`
    select ${columns} from payees
    where org_id = ${org_id} and environment = ${environment} and id = any(${sql.array([...ids], 'text')})
    order by key collate "C" for update`);

/** Up to `limit` payees after one, in the order of their ids. Takes no lock. */
export const readPayees = (db: Db, { org_id, environment }: Tenant, after_id: string, limit: number) =>
  db.any(sql.type(Row)`
    select ${columns} from payees
    where org_id = ${org_id} and environment = ${environment} and id > ${after_id} order by id limit ${limit}`);

/** The payees among these that are due and that nobody is screening at this moment. Anyone who starts later uses the lists of that time. */
export async function findWaiting(tx: Db, { org_id, environment }: Tenant, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const waiting: string[] = [];
  // Rolling back a savepoint releases its locks at once; held until the end, they could deadlock.
  const giveBack = new Error('nothing to keep');
  await tx
    .transaction(async savepoint => {
      const rows = await savepoint.anyFirst(sql.type(z.object({ id: z.string() }))`
        select id from payees
        where org_id = ${org_id} and environment = ${environment} and id = any(${sql.array([...ids], 'text')})
          and screening_due_at is not null
        for share skip locked`);
      waiting.push(...rows);
      throw giveBack;
    })
    .catch((error: unknown) => {
      if (error !== giveBack) throw error;
    });
  return waiting;
}

/** The outcome of a screening, as stored with the payee. */
type PayeeOutcome = {
  id: string;
  screening_id: string;
  state: string;
  score: number | null;
  match: string | null;
};

/** Stores the outcomes of screening payees; none of them is due any longer. */
export async function saveOutcomes(
  tx: Db,
  { org_id, environment }: Tenant,
  outcomes: readonly PayeeOutcome[],
): Promise<void> {
  if (outcomes.length === 0) return;
  await tx.query(sql.unsafe`
    update payees p set screening_id = r.screening_id, screening_state = r.state, screening_score = r.score,
      screening_match = r.match, screening_due_at = null, screening_attempts = 0
    from ${tableOf('r', outcomes, { id: 'text', screening_id: 'text', state: 'text', score: 'numeric', match: 'text' })}
    where p.org_id = ${org_id} and p.environment = ${environment} and p.id = r.id`);
}

/** Stores what a person's decision means for a payee. Whether it is due stays unchanged. */
export const saveDecided = (
  tx: Db,
  { org_id, environment }: Tenant,
  { id, screening_id, state, score, match }: PayeeOutcome,
) =>
  tx.query(sql.unsafe`
    update payees set screening_id = ${screening_id}, screening_state = ${state}, screening_score = ${score}, screening_match = ${match}
    where org_id = ${org_id} and environment = ${environment} and id = ${id}`);

/** A payee that could not be screened; `next_at` in milliseconds. */
type PayeeFailure = { id: string; screening_id: string; state: string; next_at: number };

/** Records that payees could not be screened, and when to try again. */
export async function saveFailures(
  tx: Db,
  { org_id, environment }: Tenant,
  failures: readonly PayeeFailure[],
): Promise<void> {
  if (failures.length === 0) return;
  const rows = failures.map(({ id, screening_id, state, next_at }) => [id, screening_id, state, timestamp(next_at)]);
  await tx.query(sql.unsafe`
    update payees p set screening_id = r.screening_id, screening_state = r.state, screening_due_at = r.next_at,
      screening_attempts = least(p.screening_attempts + 1, 1000)
    from ${sql.unnest(rows, ['text', 'text', 'text', 'timestamptz'])} as r (id, screening_id, state, next_at)
    where p.org_id = ${org_id} and p.environment = ${environment} and p.id = r.id`);
}

/** Makes payees due for screening. */
export const makeDue = (tx: Db, { org_id, environment }: Tenant, ids: readonly string[], now: number) =>
  tx.query(sql.unsafe`
    update payees set screening_due_at = least(screening_due_at, ${timestamp(now)}::timestamptz)
    where org_id = ${org_id} and environment = ${environment} and id = any(${sql.array([...ids], 'text')})`);
