import type { Db } from '#shared/platform/db.ts';
import { invalidDetail, notFound, Problem, orNotFound } from '#shared/interface/errors.ts';
import { newId } from '#shared/interface/ids.ts';
import type { Jobs } from '#shared/platform/jobs.ts';
import type { Logger } from '#shared/platform/log.ts';
import type { ReadyList } from './loaded_lists.ts';
import { loadConfirmed, withConfirmed } from './confirmed_matches.ts';
import { decideOutcome } from './outcome.ts';
import { areNewest, screenHeld } from './screen_due.ts';
import { lookFor } from './screen_payees.ts';
import { lockPayees, makeDue, type PayeeRow } from './screened_payees.ts';
import { entryNamesOf, pairKey } from '#shared/screening/store/screening_entries.ts';
import { type NewScreening, subjectOf } from '#shared/screening/store/screening_input.ts';
import { usedList } from '#shared/screening/store/screening_lists.ts';
import { saveMatches } from '#shared/screening/store/screening_matches.ts';
import { loadPairs } from '#shared/screening/store/screening_pairs.ts';
import { subjectNames, subjectOfPayee } from '#shared/screening/store/screening_query.ts';
import { readThreshold } from '#shared/screening/store/screening_settings.ts';
import { insertScreenings } from '#shared/screening/store/screening_writes.ts';
import { findScreening, type Screening } from '#shared/screening/store/screenings.ts';
import { insertDeliveries } from '#shared/webhooks/webhook_deliveries.ts';
import type { Tenant } from '#shared/interface/schemas.ts';

/** The jobs to queue after the commit: see `tellMatches`. */
type ScreenedOnDemand = { screening: Screening; jobs: Jobs['webhook'][]; held: boolean };

type Asked = { actor_id: string | null; lists: readonly ReadyList[]; log: Logger; now: () => number };

/**
 * Screens somebody at once. It counts for a registered payee as if its turn had come, unless the question is narrower or another than that of
 * the service itself: other lists, another threshold, other names. Such an answer is kept beside. Throws `not_found`,
 * `no_lists`, and `invalid_request` at a list that is not there.
 */
export async function screenOnDemand(
  tx: Db,
  tenant: Tenant,
  body: NewScreening,
  { actor_id, lists, log, now }: Asked,
): Promise<ScreenedOnDemand> {
  const [payee = null] = body.payee_id === undefined ? [] : await lockPayees(tx, tenant, [body.payee_id]);
  if (body.payee_id !== undefined && !payee) throw notFound('payee');
  if (lists.length === 0)
    throw new Problem('no_lists', 'No list has been loaded, so that there is nothing to screen against.');
  const chosen = chooseLists(lists, body.lists);
  const counts = payee && !body.payee && !body.lists && body.threshold === undefined;
  if (!counts) return enquire(tx, tenant, payee, body, { actor_id, lists: chosen, log, now });
  if (!(await areNewest(tx, tenant.org_id, lists))) {
    // A newer version is being made ready. What was found with the one before must not take the place of what was found with that.
    await makeDue(tx, tenant, [payee.id], now());
    return enquire(tx, tenant, payee, body, { actor_id, lists, log, now });
  }
  const { saved, jobs, held } = await screenHeld(tx, tenant, [payee], { lists, log, now, asked_by: actor_id });
  const [look] = saved;
  if (!look) throw new Error('the payee could not be screened');
  const screening = await needScreening(tx, tenant, look.screening_id);
  return { screening: { ...screening, matches: screening.matches.slice(0, body.limit) }, jobs, held };
}

function chooseLists(lists: readonly ReadyList[], names: readonly string[] | undefined): readonly ReadyList[] {
  if (!names) return lists;
  const unknown = names.findIndex(name => !lists.some(list => list.name === name));
  if (unknown >= 0)
    throw invalidDetail(
      `/lists/${unknown}`,
      'not_found',
      `There is no list of that name; there are ${lists.map(({ name }) => name).join(', ')}.`,
    );
  return lists.filter(({ name }) => names.includes(name));
}

/** Answers a question and keeps the answer, which changes nothing about a payee; a potential match is told of, without an event. */
async function enquire(
  tx: Db,
  tenant: Tenant,
  payee: PayeeRow | null,
  body: NewScreening,
  { actor_id, lists, now }: Asked,
): Promise<ScreenedOnDemand> {
  const subject = subjectOf(body.payee, payee ? subjectOfPayee(payee) : undefined);
  const threshold = body.threshold ?? (await readThreshold(tx, tenant));
  const remembered = await loadPairs(tx, tenant, payee ? [payee.id] : []);
  const pairs = (payee && remembered.get(payee.id)) ?? new Map();
  const confirmed = (payee && (await loadConfirmed(tx, tenant, remembered)).get(payee.id)) ?? [];
  const { matches, allowed_by } = lookFor(subject, lists, threshold, pairs, body.limit);
  const names = await entryNamesOf(tx, matches);
  const outcome = decideOutcome({
    subject,
    matches: withConfirmed(
      matches.map(match => ({ ...match, entry_names: names.get(pairKey(match)) ?? '' })),
      confirmed.filter(match => lists.some(({ org_id, name }) => org_id === match.list_org && name === match.list)),
    ).slice(0, body.limit),
    names: subjectNames(subject),
    pairs,
    latest: null,
    now: now(),
  });
  const id = newId('scr', now());
  const { state, score } = outcome;
  const written = { id, payee_id: payee?.id ?? null, subject, state, score, allowed_by, error: null };
  const used = lists.map(list => usedList(list, now()));
  await insertScreenings(tx, tenant, [written], { lists: used, threshold, created_by: actor_id, now: now() });
  await saveMatches(tx, tenant, [{ id, matches: outcome.matches }], []);
  const told =
    state === 'potential_match'
      ? [{ type: 'screening.potential_match' as const, data: { screening_id: id, event_id: null } }]
      : [];
  const jobs = await insertDeliveries(tx, tenant, told, now());
  return { screening: await needScreening(tx, tenant, id), jobs, held: false };
}

async function needScreening(tx: Db, tenant: Tenant, id: string): Promise<Screening> {
  return orNotFound('screening', await findScreening(tx, tenant, id));
}
