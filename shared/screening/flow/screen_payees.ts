import type { Logger } from '#shared/platform/log.ts';
import type { ReadyList } from './loaded_lists.ts';
import type { LookedAtPayee } from './save_screened.ts';
import type { PayeeRow } from './screened_payees.ts';
import type { Searched, Sought } from '#shared/screening/search/look.ts';
import type { Search } from '#shared/screening/search/search.ts';
import type { Pair, Remembered } from '#shared/screening/store/screening_pairs.ts';
import { queryOf, type Subject, subjectOfPayee } from '#shared/screening/store/screening_query.ts';

/** Matches kept per payee, besides those dismissed before. */
const MOST_MATCHES = 100;

/** How payees are screened; `search` searches the lists. */
type PayeeSearch = {
  lists: readonly ReadyList[];
  threshold: number;
  pairs: Remembered;
  search: Search;
  log: Logger;
};

/** Searches lists for payees. A failure is logged and stops no other payee. Throws `unavailable` when the search was interrupted. */
export async function screenPayees(
  payees: readonly PayeeRow[],
  { lists, threshold, pairs, search, log }: PayeeSearch,
): Promise<LookedAtPayee[]> {
  const sought = payees.map(payee =>
    soughtOf(subjectOfPayee(payee), { threshold, pairs: pairs.get(payee.id), limit: MOST_MATCHES }),
  );
  const searched = await search.find(lists, sought);
  return payees.map((payee, at) => {
    const result = searched[at] ?? { failed: 'nothing was answered' };
    if (!('failed' in result)) return { payee, result: foundIn(lists, result) };
    log.error({ error: result.failed, payee_id: payee.id }, 'payee not screened; it is tried again');
    return { payee, result: null };
  });
}

/** What to look for of a subject, from `threshold` on. Dismissed matches do not displace others. */
export function soughtOf(
  subject: Subject,
  { threshold, pairs, limit }: { threshold: number; pairs?: ReadonlyMap<string, Pair> | undefined; limit: number },
): Sought {
  const decisions = [...(pairs?.values() ?? [])];
  const dismissed = decisions.filter(({ decision }) => decision === 'false_positive').length;
  return { query: queryOf(subject), threshold, limit: limit + dismissed };
}

/** The matches, with the organization that each one's list belongs to. */
export function foundIn(lists: readonly ReadyList[], { matches, allowed_by }: Exclude<Searched, { failed: string }>) {
  const owners = new Map(lists.map(({ name, org_id }) => [name, org_id]));
  return { allowed_by, matches: matches.map(match => ({ ...match, list_org: owners.get(match.list) ?? '' })) };
}
