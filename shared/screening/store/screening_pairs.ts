import { z } from 'zod';
import { type Db, sql } from '#shared/platform/db.ts';
import { type ListedEntry, pairKey } from './screening_entries.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { timestamp } from '#shared/values/time.ts';

const Pair = z.object({
  payee_id: z.string(),
  list_org: z.string(),
  list: z.string(),
  entry_id: z.string(),
  decision: z.enum(['true_match', 'false_positive']),
  exact: z.boolean(),
  score: z.number(),
  payee_names: z.string(),
  entry_names: z.string(),
});
/** A person's decision about a payee and an entry, with the names of both at that time. */
export type Pair = z.infer<typeof Pair>;

/** Decisions about payees, by payee and then by `pairKey`. */
export type Remembered = ReadonlyMap<string, ReadonlyMap<string, Pair>>;

export async function loadPairs(
  db: Db,
  { org_id, environment }: Tenant,
  payee_ids: readonly string[],
): Promise<Remembered> {
  const pairs = new Map<string, Map<string, Pair>>();
  if (payee_ids.length === 0) return pairs;
  const rows = await db.any(sql.type(Pair)`
    select payee_id, list_org, list, entry_id, decision, exact, score::float8 as score, payee_names, entry_names
    from screening_pairs
    where org_id = ${org_id} and environment = ${environment} and payee_id = any(${sql.array([...payee_ids], 'text')})`);
  for (const row of rows) {
    const pairs_of_payee = pairs.get(row.payee_id) ?? new Map<string, Pair>();
    pairs_of_payee.set(pairKey(row), row);
    pairs.set(row.payee_id, pairs_of_payee);
  }
  return pairs;
}

export type DecidedPair = ListedEntry & Omit<Pair, 'payee_id'>;

/** Stores decisions on a payee; they replace earlier ones on the same entries, unless that would end a confirmed match. */
export async function savePairs(
  tx: Db,
  { org_id, environment }: Tenant,
  { payee_id, screening_id, decided_by }: { payee_id: string; screening_id: string; decided_by: string | null },
  pairs: readonly DecidedPair[],
  now: number,
): Promise<void> {
  if (pairs.length === 0) return;
  const rows = pairs.map(pair => [
    pair.list_org,
    pair.list,
    pair.entry_id,
    pair.decision,
    pair.exact,
    pair.score,
    pair.payee_names,
    pair.entry_names,
  ]);
  await tx.query(sql.unsafe`
    insert into screening_pairs as p (org_id, environment, payee_id, list_org, list, entry_id, decision, exact, score, payee_names,
      entry_names, screening_id, decided_at, decided_by)
    select ${org_id}, ${environment}, ${payee_id}, r.list_org, r.list, r.entry_id, r.decision, r.exact, r.score,
      r.payee_names, r.entry_names, ${screening_id}, ${timestamp(now)}, ${decided_by}
    from ${sql.unnest(rows, ['text', 'text', 'text', 'text', 'bool', 'numeric', 'text', 'text'])}
      as r (list_org, list, entry_id, decision, exact, score, payee_names, entry_names)
    on conflict (org_id, environment, payee_id, list_org, list, entry_id) do update set
      decision = excluded.decision, exact = excluded.exact, score = excluded.score, payee_names = excluded.payee_names,
      entry_names = excluded.entry_names, screening_id = excluded.screening_id, decided_at = excluded.decided_at,
      decided_by = excluded.decided_by
    where p.decision = 'false_positive' or excluded.decision = 'true_match'`);
}
