import { z } from 'zod';
import { type Db, sql } from '#shared/db.ts';
import { lockCursor } from '#shared/detection/cursor.ts';
import type { Found, Raised } from '#shared/detection/findings.ts';
import type { Screened } from '#shared/detection/payees.ts';
import { tellFindings } from '#shared/detection/tell_findings.ts';
import { findingOf, isPaying, sanctionsMatch } from '#shared/detectors/sanctions_match.ts';
import { EventType } from '#shared/event_types.ts';
import type { Jobs } from '#shared/jobs.ts';
import type { SavedLook } from '#shared/payee_screening/save_screened.ts';
import { activeDetectors } from '#shared/resources/detectors/detector_settings.ts';
import { insertDeliveries } from '#shared/resources/webhooks/webhook_deliveries.ts';
import type { Tenant } from '#shared/schemas.ts';

/** What is to be done once the transaction is committed. `held`: detection may have passed the log by meanwhile. */
export type Told = { raised: Raised[]; jobs: Jobs['webhook'][]; held: boolean };

/**
 * Tells of payees that somebody has to look at: a webhook for each, and an alert where it was paid before. What is paid and not analysed yet
 * raises its alert when it is: both sides hold the log's cursor while they look at what the other has written.
 */
export async function tellMatches(tx: Db, tenant: Tenant, saved: readonly SavedLook[], now: number): Promise<Told> {
  const fresh = saved.filter(({ outcome }) => outcome.fresh.length > 0);
  const flagged = saved.filter(
    ({ payee, outcome }) =>
      isFlagged(outcome.payee.state) && (outcome.fresh.length > 0 || !isFlagged(payee.screening_state)),
  );
  if (fresh.length + flagged.length === 0) return { raised: [], jobs: [], held: false };
  const seq = await lockCursor(tx, tenant);
  const concerned = new Set([...fresh, ...flagged].map(({ payee }) => payee.id));
  const events = await latestEvents(tx, tenant, [...concerned]);
  const review = await insertDeliveries(
    tx,
    tenant,
    fresh.map(({ payee, screening_id }) => ({
      type: 'screening.potential_match' as const,
      data: { screening_id, event_id: events.get(payee.id)?.[0]?.id ?? null },
    })),
    now,
  );
  const found = flagged.flatMap(look => findingsOf(look, events.get(look.payee.id) ?? [], seq));
  const active = await activeDetectors(tx, tenant, [sanctionsMatch]);
  const { raised, jobs } = await tellFindings(tx, tenant, found, active, now);
  return { raised, jobs: [...review, ...jobs], held: true };
}

/** Whether a payment to a payee in this state raises an alert. */
export const isFlagged = (state: string): state is Screened['state'] =>
  state === 'potential_match' || state === 'confirmed_match';

const LatestEvent = z.object({
  payee_id: z.string(),
  chain_seq: z.number(),
  id: z.string(),
  agent_id: z.string(),
  type: EventType,
});
type LatestEvent = z.infer<typeof LatestEvent>;

/** How many of a payee's events are looked at. */
const MOST_EVENTS = 100;

/** The latest events of payees, the newest first, by payee. */
async function latestEvents(tx: Db, { org_id, environment }: Tenant, payee_ids: readonly string[]) {
  const rows = await tx.any(sql.type(LatestEvent)`
    select g.id as payee_id, e.chain_seq, e.id, e.agent_id, e.type
    from unnest(${sql.array([...payee_ids], 'text')}) g (id) cross join lateral (
      select chain_seq, id, agent_id, type from events
      where org_id = ${org_id} and environment = ${environment} and payee_id = g.id
      order by chain_seq desc limit ${MOST_EVENTS}) e
    order by e.chain_seq desc`);
  return Map.groupBy(rows, ({ payee_id }) => payee_id);
}

/**
 * What the detector says of a payee's events that were analysed. Of one that had not been screened yet: the latest payment of every agent,
 * as if it had been. Where a list or a decision changed: the latest event.
 */
function findingsOf({ payee, outcome }: SavedLook, events: readonly LatestEvent[], seq: number): Found[] {
  const { state, score, match } = outcome.payee;
  if (!isFlagged(state)) return [];
  const analysed = events.filter(({ chain_seq }) => chain_seq <= seq);
  const wasUnknown = payee.screening_state === 'pending' || payee.screening_state === 'error';
  const paying = analysed.filter(({ type }) => isPaying(type));
  const concerned = wasUnknown
    ? new Map(paying.toReversed().map(event => [event.agent_id, event])).values()
    : analysed.slice(0, 1);
  const screened = { state, score: score === null ? null : String(score), match };
  return [...concerned].map(event => ({
    detector: sanctionsMatch.name,
    event,
    finding: findingOf(screened, event),
  }));
}
