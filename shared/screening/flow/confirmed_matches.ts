import { z } from 'zod';
import { type Db, sql } from '#shared/platform/db.ts';
import type { FoundMatch } from './outcome.ts';
import { deniedNow, pairKey } from '#shared/screening/store/screening_entries.ts';
import { ScreeningMatch } from '#shared/screening/store/screening_matches.ts';
import type { Remembered } from '#shared/screening/store/screening_pairs.ts';
import type { Tenant } from '#shared/interface/schemas.ts';

const Confirmed = ScreeningMatch.omit({ id: true, decision: true }).extend({
  payee_id: z.string(),
  list_org: z.string(),
  entry_names: z.string(),
});

/**
 * The matches that people confirmed and that are still on their lists, by payee, as in the screening that confirmed them. They count
 * whether or not a search finds them again.
 */
export async function loadConfirmed(
  db: Db,
  { org_id, environment }: Tenant,
  pairs: Remembered,
): Promise<Map<string, FoundMatch[]>> {
  const payee_ids = [...pairs].flatMap(([payee_id, decided]) =>
    decided.values().some(({ decision }) => decision === 'true_match') ? [payee_id] : [],
  );
  const confirmed = new Map<string, FoundMatch[]>();
  if (payee_ids.length === 0) return confirmed;
  const rows = await db.any(sql.type(Confirmed)`
    select p.payee_id, m.list_org, m.list, m.entry_id, m.name, m.matched_name, m.score::float8 as score, m.match_type, m.features,
      m.programs, m.countries, m.entry_names
    from screening_pairs p
    join screening_matches m using (org_id, environment, screening_id, list_org, list, entry_id)
    where p.org_id = ${org_id} and p.environment = ${environment} and p.payee_id = any(${sql.array(payee_ids, 'text')})
      and p.decision = 'true_match'
    order by m.score desc, m.list_org, m.list, m.entry_id`);
  // Asked by itself: on a cluster a list may be on another node.
  const denied = await deniedNow(db, rows);
  for (const { payee_id, ...match } of rows)
    if (denied.has(pairKey(match))) confirmed.set(payee_id, [...(confirmed.get(payee_id) ?? []), match]);
  return confirmed;
}

/** The matches found, and the confirmed ones that were not found again, best first. */
export function withConfirmed(
  matches: readonly FoundMatch[],
  confirmed: readonly FoundMatch[] = [],
): readonly FoundMatch[] {
  const pair_keys = new Set(matches.map(pairKey));
  const carried = confirmed.filter(match => !pair_keys.has(pairKey(match)));
  return carried.length === 0 ? matches : [...matches, ...carried].toSorted((a, b) => b.score - a.score);
}
