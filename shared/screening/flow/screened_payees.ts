import { z } from 'zod';
import { lockScreenings } from '#shared/events/parties/payees.ts';
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

const columns = sql.fragment`p.id, p.key, p.type, p.name, p.country, p.aliases, s.state as screening_state, s.screening_id,
  s.attempts as screening_attempts, s.due_at is not null as is_due`;
const screened = sql.fragment`payees p
  join payee_screenings s on s.org_id = p.org_id and s.environment = p.environment and s.payee_id = p.id`;

const Id = z.object({ id: z.string() });

/** Up to `limit` payees that are due, longest waiting first, locked until the transaction ends; others skip them. */
export async function takeDuePayees(tx: Db, tenant: Tenant, limit: number, now: number): Promise<readonly PayeeRow[]> {
  const { org_id, environment } = tenant;
  const ids = await tx.anyFirst(sql.type(Id)`
    select payee_id as id from payee_screenings
    where org_id = ${org_id} and environment = ${environment} and due_at <= ${timestamp(now)}
    order by due_at limit ${limit} for update skip locked`);
  return readHeld(tx, tenant, ids);
}

/** These payees, whose screenings are held until the transaction ends. */
export const lockPayees = async (tx: Db, tenant: Tenant, ids: readonly string[]): Promise<readonly PayeeRow[]> =>
  readHeld(tx, tenant, await lockScreenings(tx, tenant, ids));

/** In a statement of its own, which sees the names that whoever held the locks before has left. */
const readHeld = (tx: Db, { org_id, environment }: Tenant, ids: readonly string[]) =>
  tx.any(sql.type(Row)`
    select ${columns} from ${screened}
    where p.org_id = ${org_id} and p.environment = ${environment} and p.id = any(${sql.array([...ids], 'text')})`);

/** Up to `limit` payees after one, in the order of their ids. Takes no lock. */
export const readPayees = (db: Db, { org_id, environment }: Tenant, after_id: string, limit: number) =>
  db.any(sql.type(Row)`
    select ${columns} from ${screened}
    where p.org_id = ${org_id} and p.environment = ${environment} and p.id > ${after_id} order by p.id limit ${limit}`);

/** The payees among these that are due and that nobody is screening at this moment. Anyone who starts later uses the lists of that time. */
export async function findWaiting(tx: Db, { org_id, environment }: Tenant, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const waiting: string[] = [];
  // Rolling back a savepoint releases its locks at once; held until the end, they could deadlock.
  const giveBack = new Error('nothing to keep');
  await tx
    .transaction(async savepoint => {
      const rows = await savepoint.anyFirst(sql.type(Id)`
        select payee_id as id from payee_screenings
        where org_id = ${org_id} and environment = ${environment} and payee_id = any(${sql.array([...ids], 'text')})
          and due_at is not null
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
    update payee_screenings p set screening_id = r.screening_id, state = r.state, score = r.score, match = r.match, due_at = null,
      attempts = 0
    from ${tableOf('r', outcomes, { id: 'text', screening_id: 'text', state: 'text', score: 'numeric', match: 'text' })}
    where p.org_id = ${org_id} and p.environment = ${environment} and p.payee_id = r.id`);
}

/** Stores what a person's decision means for a payee. Whether it is due stays unchanged. */
export const saveDecided = (
  tx: Db,
  { org_id, environment }: Tenant,
  { id, screening_id, state, score, match }: PayeeOutcome,
) =>
  tx.query(sql.unsafe`
    update payee_screenings set screening_id = ${screening_id}, state = ${state}, score = ${score}, match = ${match}
    where org_id = ${org_id} and environment = ${environment} and payee_id = ${id}`);

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
    update payee_screenings p set screening_id = r.screening_id, state = r.state, due_at = r.next_at,
      attempts = least(p.attempts + 1, 1000)
    from ${sql.unnest(rows, ['text', 'text', 'text', 'timestamptz'])} as r (id, screening_id, state, next_at)
    where p.org_id = ${org_id} and p.environment = ${environment} and p.payee_id = r.id`);
}

/** Makes payees due for screening. */
export const makeDue = (tx: Db, { org_id, environment }: Tenant, ids: readonly string[], now: number) =>
  tx.query(sql.unsafe`
    update payee_screenings set due_at = least(due_at, ${timestamp(now)}::timestamptz)
    where org_id = ${org_id} and environment = ${environment} and payee_id = any(${sql.array([...ids], 'text')})`);

/** Makes payees due that no list has cleared any longer: those that were clear wait to be screened. */
export const makePending = (tx: Db, { org_id, environment }: Tenant, ids: readonly string[], now: number) =>
  tx.query(sql.unsafe`
    update payee_screenings set due_at = least(due_at, ${timestamp(now)}::timestamptz),
      state = case when state = 'clear' then 'pending' else state end
    where org_id = ${org_id} and environment = ${environment} and payee_id = any(${sql.array([...ids], 'text')})`);
