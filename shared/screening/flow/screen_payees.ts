import { setImmediate } from 'node:timers/promises';
import { asError } from '#shared/interface/errors.ts';
import type { Logger } from '#shared/platform/log.ts';
import type { ReadyList } from './loaded_lists.ts';
import type { Looked } from './save_screened.ts';
import type { PayeeRow } from './screened_payees.ts';
import type { Pair, Remembered } from '#shared/screening/store/screening_pairs.ts';
import { queryOf, type Subject, subjectOfPayee } from '#shared/screening/store/screening_query.ts';
import { screen } from '#shared/screening/matcher/screen.ts';

/** Matches that are kept of a payee, besides those that were dismissed before. */
const MOST_MATCHES = 100;
/** How long the process is kept from everything else, in milliseconds. */
const AT_A_TIME = 10;

/** Looks for payees in lists, one after the other; other work of the process has its turn in between. One that fails is logged, and stops no other. */
export async function screenPayees(
  payees: readonly PayeeRow[],
  { lists, threshold, pairs, log }: { lists: readonly ReadyList[]; threshold: number; pairs: Remembered; log: Logger },
): Promise<Looked[]> {
  const looked: Looked[] = [];
  const breathe = createBreath();
  for (const payee of payees) {
    try {
      const result = lookFor(subjectOfPayee(payee), lists, threshold, pairs.get(payee.id));
      looked.push({ payee, result });
    } catch (error) {
      log.error({ error: asError(error), payee_id: payee.id }, 'payee not screened; it is tried again');
      looked.push({ payee, result: null });
    }
    await breathe();
  }
  return looked;
}

/** Gives way when the process has been busy for a while. */
export function createBreath(): () => Promise<void> {
  let since = performance.now();
  return async () => {
    if (performance.now() - since < AT_A_TIME) return;
    await setImmediate();
    since = performance.now();
  };
}

/** Finds a subject's matches from `threshold` on. Dismissed matches do not displace others. */
export function lookFor(
  subject: Subject,
  lists: readonly ReadyList[],
  threshold: number,
  pairs: ReadonlyMap<string, Pair> = new Map(),
  limit = MOST_MATCHES,
) {
  const dismissed = [...pairs.values()].filter(({ decision }) => decision === 'false_positive').length;
  const { matches, allowed_by } = screen(lists, queryOf(subject), { threshold, limit: limit + dismissed });
  const owners = new Map(lists.map(({ name, org_id }) => [name, org_id]));
  return { allowed_by, matches: matches.map(match => ({ ...match, list_org: owners.get(match.list) ?? '' })) };
}
