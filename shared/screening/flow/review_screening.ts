import { z } from 'zod';
import { type Db, sql } from '#shared/platform/db.ts';
import { sanctionsMatch } from '#shared/detection/detectors/sanctions_match.ts';
import { conflict, Problem, reasonRequired, orNotFound } from '#shared/interface/errors.ts';
import { commentOnAlerts } from '#shared/casework/alert_actions.ts';
import { decideAlike, type DecidedAlike } from './decide_alike.ts';
import { standing } from './outcome.ts';
import { lockPayees, makeDue, type PayeeRow, saveDecided } from './screened_payees.ts';
import { nothingTold, tellMatches, type ToldMatches } from './tell_matches.ts';
import { pairKey } from '#shared/screening/store/screening_entries.ts';
import { decideMatches, isExact, matchesOf, type StoredMatch } from '#shared/screening/store/screening_matches.ts';
import { loadPairs, type Pair, savePairs } from '#shared/screening/store/screening_pairs.ts';
import { Subject, subjectNames } from '#shared/screening/store/screening_query.ts';
import { Decision } from '#shared/screening/store/screenings.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { timestamp } from '#shared/values/time.ts';

/** The score from which a false positive needs a reason. */
const NEEDS_REASON = 0.95;

/** `updated_at`: the last change that the reviewer saw, in milliseconds; null: any. */
type Review = {
  decision: Decision;
  reason: string | null;
  actor_id: string | null;
  updated_at: number | null;
};

/** The state of the screening before and after; null: it had that decision already. */
type Reviewed = {
  before: { state: string };
  after: { state: string; decision: Decision; reason: string | null };
};

const Row = z.object({
  payee_id: z.string().nullable(),
  state: z.string(),
  decision: Decision.nullable(),
  query: Subject,
  updated_at: z.string(),
});

/**
 * Decides all undecided matches of a screening; a match confirmed elsewhere for the payee stays confirmed. The decision is remembered for
 * the payee and applies to its other open screenings; its open alerts get a comment. Repeating a decision changes nothing. Throws
 * `not_found`, `not_reviewable` unless it is a potential match, `conflict` when it has changed since it was read, and `reason_required`
 * when a nearly certain match is called false without a reason.
 */
export async function reviewScreening(
  tx: Db,
  tenant: Tenant,
  id: string,
  { decision, reason: text, actor_id, updated_at }: Review,
  now: number,
): Promise<{ reviewed: Reviewed | null; told: ToldMatches }> {
  const reason = text?.trim() ? text : null;
  const payee = await holdPayee(tx, tenant, id);
  const screening = await lockScreening(tx, tenant, id);
  if (screening.decision === decision) return { reviewed: null, told: nothingTold };
  if (screening.state !== 'potential_match')
    throw new Problem(
      'not_reviewable',
      `Only a potential match can be reviewed; this screening is ${screening.state}.`,
    );
  if (updated_at !== null && Date.parse(screening.updated_at) !== updated_at)
    throw conflict('The screening has changed since it was read; read it again.');
  const pairs = (payee && (await loadPairs(tx, tenant, [payee.id])).get(payee.id)) ?? new Map<string, Pair>();
  const isConfirmed = (match: StoredMatch) => pairs.get(pairKey(match))?.decision === 'true_match';
  const matches = [...((await matchesOf(tx, tenant, [id])).get(id)?.values() ?? [])];
  const undecided = matches.filter(match => match.decision === null && !isConfirmed(match));
  const isCertain = undecided.some(match => isExact(match) || match.score >= NEEDS_REASON);
  if (decision === 'false_positive' && isCertain && reason === null)
    throw reasonRequired('To dismiss an exact identifier, or a score of 0.95 or more, give a reason.');

  const decided = matches.map(match => ({
    ...match,
    decision: match.decision ?? (isConfirmed(match) ? 'true_match' : decision),
  }));
  const after = standing(decided);
  await decideMatches(tx, tenant, decided);
  await tx.query(sql.unsafe`
    update screenings set state = ${after.state}, decision = ${decision}, reason = ${reason}, reviewed_at = ${timestamp(now)},
      reviewed_by = ${actor_id}, updated_at = ${timestamp(now)}
    where ${here(tenant, id)}`);
  const reviewed = {
    before: { state: screening.state },
    after: { state: after.state, decision, reason },
  };
  if (!payee) return { reviewed, told: nothingTold };
  const names = subjectNames(screening.query);
  const decided_pairs = undecided.map(match => pairOf(match, decision, names));
  // A dismissal under other names than the payee's own says nothing about the payee.
  if (decision === 'true_match' || names === subjectNames(payee))
    await savePairs(tx, tenant, { payee_id: payee.id, screening_id: id, decided_by: actor_id }, decided_pairs, now);
  const others = await decideAlike(tx, tenant, { payee_id: payee.id, screening_id: id }, decided_pairs, now);
  const comment = commentOf(id, decision, reason);
  const open_alerts = await openAlerts(tx, tenant, payee.id);
  await commentOnAlerts(
    tx,
    tenant,
    open_alerts.map(alert_id => ({ alert_id, reason: comment })),
    now,
  );
  const holding = [{ id, after }, ...others].find(each => each.id === payee.screening_id) ?? null;
  return { reviewed, told: await applyToPayee(tx, tenant, payee, { id, decision, after, holding }, now) };
}

const here = ({ org_id, environment }: Tenant, id: string) =>
  sql.fragment`org_id = ${org_id} and environment = ${environment} and id = ${id}`;

/** The payee of a screening, locked before the screening, in the same order as screening does. */
async function holdPayee(tx: Db, tenant: Tenant, id: string): Promise<PayeeRow | null> {
  const screening = orNotFound(
    'screening',
    await tx.maybeOne(sql.type(Row)`
    select payee_id, state, decision, query, updated_at from screenings where ${here(tenant, id)}`),
  );
  const [payee = null] = screening.payee_id === null ? [] : await lockPayees(tx, tenant, [screening.payee_id]);
  return payee;
}

const lockScreening = (tx: Db, tenant: Tenant, id: string) =>
  tx.one(sql.type(Row)`
    select payee_id, state, decision, query, updated_at from screenings where ${here(tenant, id)} for update`);

const pairOf = (match: StoredMatch, decision: Decision, payee_names: string) => ({
  list_org: match.list_org,
  list: match.list,
  entry_id: match.entry_id,
  decision,
  exact: isExact(match),
  score: match.score,
  payee_names,
  entry_names: match.entry_names,
});

/**
 * The latest screening of a payee decides its state; `holding`: such a decision counts. A screening on demand counts when it confirms a
 * match; its dismissals are applied when the payee is screened again.
 */
async function applyToPayee(
  tx: Db,
  tenant: Tenant,
  payee: PayeeRow,
  { id, decision, after, holding }: DecidedAlike & { decision: Decision; holding: DecidedAlike | null },
  now: number,
): Promise<ToldMatches> {
  if (payee.screening_id !== id) await makeDue(tx, tenant, [payee.id], now);
  if (!holding && decision === 'false_positive') return nothingTold;
  const held = holding ?? { id, after };
  await saveDecided(tx, tenant, { id: payee.id, screening_id: held.id, ...held.after.payee });
  const outcome = { ...held.after, record: 'change' as const, matches: [], fresh: [] };
  return tellMatches(tx, tenant, [{ payee, screening_id: held.id, outcome }], now);
}

const commentOf = (id: string, decision: Decision, reason: string | null) =>
  [
    `The screening ${id} was reviewed: ${decision === 'true_match' ? 'a person confirmed the match' : 'a false positive'}.`,
    reason && `Reason: ${reason}`,
  ]
    .filter(Boolean)
    .join(' ');

const openAlerts = (tx: Db, { org_id, environment }: Tenant, payee_id: string) =>
  tx.anyFirst(sql.type(z.object({ id: z.string() }))`
    select id from alerts
    where org_id = ${org_id} and environment = ${environment} and detector = ${sanctionsMatch.name} and subject = ${payee_id}
      and state in ('open', 'acknowledged', 'escalated')`);
