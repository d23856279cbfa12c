import type { FragmentSqlToken } from 'slonik';
import { packedRows } from '#shared/platform/bulk.ts';
import { type Db, sql } from '#shared/platform/db.ts';
import type { UsedList } from './screening_lists.ts';
import type { Subject } from './screening_query.ts';
import type { Screening } from './screenings.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { timestamp } from '#shared/values/time.ts';

/** The result of screening a subject, ready to be written. */
export type WrittenScreening = {
  id: string;
  payee_id: string | null;
  subject: Subject;
  state: string;
  score: number;
  allowed_by: Screening['allowed_by'];
  error: string | null;
};

/** The members shared by the screenings of one moment. */
export type Circumstances = {
  lists: readonly UsedList[];
  threshold: number;
  created_by: string | null;
  now: number;
};

const columns = ['text', 'text', 'text', 'text', 'numeric', 'text', 'text'];

const rowsOf = (screenings: readonly WrittenScreening[]) => sql.fragment`
  (select id, payee_id, query::jsonb as query, state, score, allowed_by::jsonb as allowed_by, error from ${packedRows(
    screenings.map(({ id, payee_id, subject, state, score, allowed_by, error }) => [
      id,
      payee_id,
      JSON.stringify(subject),
      state,
      score,
      allowed_by && JSON.stringify(allowed_by),
      error,
    ]),
    columns,
  )} as g (id, payee_id, query, state, score, allowed_by, error))`;

export async function insertScreenings(
  tx: Db,
  tenant: Tenant,
  screenings: readonly WrittenScreening[],
  circumstances: Circumstances,
): Promise<void> {
  if (screenings.length > 0) await tx.query(sql.unsafe`${screeningsInsert(tenant, screenings, circumstances)}`);
}

/** The same as part of a statement. */
export function screeningsInsert(
  { org_id, environment }: Tenant,
  screenings: readonly WrittenScreening[],
  { lists, threshold, created_by, now }: Circumstances,
): FragmentSqlToken {
  const at = timestamp(now);
  return sql.fragment`
    insert into screenings (org_id, environment, id, payee_id, query, state, score, allowed_by, error, threshold, lists, created_at,
      created_by, updated_at)
    select ${org_id}, ${environment}, r.*, ${threshold}, ${JSON.stringify(lists)}::jsonb, ${at}, ${created_by}, ${at}
    from ${rowsOf(screenings)} r`;
}

/** Updates screenings that have not been reviewed. */
export async function updateScreenings(
  tx: Db,
  { org_id, environment }: Tenant,
  screenings: readonly WrittenScreening[],
  { lists, threshold, now }: Circumstances,
): Promise<void> {
  if (screenings.length === 0) return;
  await tx.query(sql.unsafe`
    update screenings s set query = r.query, state = r.state, score = r.score, allowed_by = r.allowed_by, error = r.error,
      threshold = ${threshold}, lists = ${JSON.stringify(lists)}::jsonb, updated_at = ${timestamp(now)}
    from ${rowsOf(screenings)} r
    where s.org_id = ${org_id} and s.environment = ${environment} and s.id = r.id`);
}

/** Records that these screenings still hold with these versions of the lists. */
export async function noteLists(
  tx: Db,
  { org_id, environment }: Tenant,
  ids: readonly string[],
  lists: readonly UsedList[],
): Promise<void> {
  if (ids.length === 0) return;
  await tx.query(sql.unsafe`
    update screenings set lists = ${JSON.stringify(lists)}::jsonb
    where org_id = ${org_id} and environment = ${environment} and id = any(${sql.array([...ids], 'text')})`);
}
