import type { Db } from '#shared/platform/db.ts';
import { orNotFound } from '#shared/interface/errors.ts';
import type { Jobs } from '#shared/platform/jobs.ts';
import type { Logger } from '#shared/platform/log.ts';
import { enquire, type Enquiry, unknownList } from './enquire.ts';
import type { ReadyList } from './loaded_lists.ts';
import { loadConfirmed } from './confirmed_matches.ts';
import { areNewest, screenHeld } from './screen_due.ts';
import { lockPayees, makeDue, type PayeeRow } from './screened_payees.ts';
import type { Search } from '#shared/screening/search/search.ts';
import { type NewScreening, subjectOf } from '#shared/screening/store/screening_input.ts';
import { loadPairs } from '#shared/screening/store/screening_pairs.ts';
import { subjectOfPayee } from '#shared/screening/store/screening_query.ts';
import { readThreshold } from '#shared/screening/store/screening_settings.ts';
import { findScreening, type Screening } from '#shared/screening/store/screenings.ts';
import type { Tenant } from '#shared/interface/schemas.ts';

/** The jobs to queue after the commit: see `tellMatches`. */
type ScreenedOnDemand = { screening: Screening; jobs: Jobs['webhook'][]; held: boolean };

type OnDemandContext = {
  /** Who asks, and in which request. */
  actor_id: string | null;
  request_id: string | null;
  lists: readonly ReadyList[];
  search: Search;
  log: Logger;
  now: () => number;
};

/**
 * Screens a registered payee at once. It counts as the payee's own screening unless the question differs from the service's: other lists,
 * another threshold, other names. Such an answer is stored separately. Throws `not_found`, `no_lists`, and `invalid_request` for an unknown
 * list.
 */
export async function screenOnDemand(
  tx: Db,
  tenant: Tenant,
  body: NewScreening & { payee_id: string },
  { actor_id, request_id, ...surroundings }: OnDemandContext,
): Promise<ScreenedOnDemand> {
  const { lists, search, log, now } = surroundings;
  const payee = orNotFound('payee', (await lockPayees(tx, tenant, [body.payee_id]))[0]);
  const unknown = unknownList(lists, body.lists);
  if (unknown) throw unknown;
  const beside = () => enquireBeside(tx, tenant, payee, body, { actor_id, request_id, ...surroundings });
  const counts = !body.payee && !body.lists && body.threshold === undefined;
  if (!counts) return beside();
  if (!(await areNewest(tx, tenant.org_id, lists))) {
    // A newer version is being built. A result against the older one must not replace one against the newer.
    await makeDue(tx, tenant, [payee.id], now());
    return beside();
  }
  const { saved, jobs, held } = await screenHeld(tx, tenant, [payee], { lists, search, log, now, asked_by: actor_id });
  const [look] = saved;
  if (!look) throw new Error('the payee could not be screened');
  const screening = orNotFound('screening', await findScreening(tx, tenant, look.screening_id));
  return { screening: { ...screening, matches: screening.matches.slice(0, body.limit) }, jobs, held };
}

/** The enquiry of a body about an unregistered party. */
export const enquiryOf = (
  { payee, lists, threshold, limit }: Omit<NewScreening, 'payee_id'>,
  asker: Pick<Enquiry, 'actor_id' | 'request_id'>,
): Enquiry => ({ subject: subjectOf(payee), lists, threshold, limit, ...asker });

/** Answers an enquiry and stores the answer, which changes nothing about a payee. */
async function enquireBeside(
  tx: Db,
  tenant: Tenant,
  payee: PayeeRow,
  body: NewScreening,
  { actor_id, request_id, ...context }: OnDemandContext,
): Promise<ScreenedOnDemand> {
  const enquiry = enquiryOf(body, { actor_id, request_id });
  const about = await aboutPayee(tx, tenant, payee, body);
  const usual_threshold = await readThreshold(tx, tenant);
  const surroundings = { ...context, usual_threshold, audited: false };
  const { answers, jobs } = await enquire(tx, tenant, [{ ...enquiry, ...about }], surroundings);
  const [screening] = answers;
  if (!screening || screening instanceof Error) throw screening ?? new Error('nothing was answered');
  return { screening, jobs, held: false };
}

async function aboutPayee(
  tx: Db,
  tenant: Tenant,
  payee: PayeeRow,
  body: NewScreening,
): Promise<Pick<Enquiry, 'subject' | 'about'>> {
  const remembered = await loadPairs(tx, tenant, [payee.id]);
  const confirmed = (await loadConfirmed(tx, tenant, remembered)).get(payee.id) ?? [];
  const pairs = remembered.get(payee.id) ?? new Map();
  return { subject: subjectOf(body.payee, subjectOfPayee(payee)), about: { payee_id: payee.id, pairs, confirmed } };
}
