import type { Db } from '#shared/platform/db.ts';
import { lockCursor } from '#shared/detection/consumer/cursor.ts';
import type { Raised } from '#shared/detection/consumer/raise_alerts.ts';
import type { EventFinding } from '#shared/detection/model/detector.ts';
import type { ScreenedPayee } from '#shared/detection/model/payees.ts';
import { tellFindings } from '#shared/detection/consumer/tell_findings.ts';
import { findingOf, sanctionsMatch } from '#shared/detection/detectors/sanctions_match.ts';
import type { Jobs } from '#shared/platform/jobs.ts';
import { latestEvents, latestPayments } from './latest_events.ts';
import type { SavedLook } from './save_screened.ts';
import { activeDetectors } from '#shared/detection/settings/detector_settings.ts';
import { insertDeliveries } from '#shared/webhooks/webhook_deliveries.ts';
import type { Tenant } from '#shared/interface/schemas.ts';

/**
 * What is to be done once the transaction is committed. `findings`: how many were saved, in alerts that are new or living. `held`: detection
 * may have passed the log by meanwhile.
 */
export type ToldMatches = { raised: Raised[]; findings: number; jobs: Jobs['webhook'][]; held: boolean };

/** There is nothing to tell. */
export const nothingTold: ToldMatches = { raised: [], findings: 0, jobs: [], held: false };

/**
 * Tells of payees that somebody has to look at: a webhook for each, and an alert where it was paid before. What is paid and not analyzed yet
 * raises its alert when it is: both sides hold the log's cursor while they look at what the other has written.
 */
export async function tellMatches(
  tx: Db,
  tenant: Tenant,
  saved: readonly SavedLook[],
  now: number,
): Promise<ToldMatches> {
  const fresh = saved.filter(({ outcome }) => outcome.fresh.length > 0);
  const flagged = saved.filter(
    ({ payee, outcome }) =>
      isFlagged(outcome.payee.state) && (outcome.fresh.length > 0 || !isFlagged(payee.screening_state)),
  );
  if (fresh.length + flagged.length === 0) return nothingTold;
  const seq = await lockCursor(tx, tenant);
  const latest = await latestEvents(tx, tenant, concern(fresh), null);
  const events = new Map(latest.map(event => [event.payee_id, event.id]));
  const review = await insertDeliveries(
    tx,
    tenant,
    fresh.map(({ payee, screening_id }) => ({
      type: 'screening.potential_match' as const,
      data: { screening_id, event_id: events.get(payee.id) ?? null },
    })),
    now,
  );
  const findings = await findingsOf(tx, tenant, flagged, seq);
  const active = await activeDetectors(tx, tenant, [sanctionsMatch]);
  const { raised, jobs } = await tellFindings(tx, tenant, findings, active, now);
  return { raised, findings: findings.length, jobs: [...review, ...jobs], held: true };
}

/** Whether a payment to a payee in this state raises an alert. */
const isFlagged = (state: string): state is ScreenedPayee['state'] =>
  state === 'potential_match' || state === 'confirmed_match';

/** Whether it was not known what lists say of the payee when it was paid. */
const wasUnknown = ({ payee: { screening_state } }: SavedLook) =>
  screening_state === 'pending' || screening_state === 'error';

const concern = (looks: readonly SavedLook[]) => looks.map(({ payee }) => payee.id);

/**
 * What the detector says of a payee's events up to `seq`, which were analyzed. Of one that had not been screened yet: the latest payment of
 * every agent, as if it had been. Where a list or a decision changed: the latest event.
 */
async function findingsOf(tx: Db, tenant: Tenant, flagged: readonly SavedLook[], seq: number): Promise<EventFinding[]> {
  const [unknown, others] = [flagged.filter(wasUnknown), flagged.filter(look => !wasUnknown(look))];
  const events = Map.groupBy(
    [
      ...(await latestPayments(tx, tenant, concern(unknown), seq)),
      ...(await latestEvents(tx, tenant, concern(others), seq)),
    ],
    ({ payee_id }) => payee_id,
  );
  return flagged.flatMap(({ payee, outcome }) => {
    const { state, score, match } = outcome.payee;
    if (!isFlagged(state)) return [];
    const screened = { state, score: score === null ? null : String(score), match };
    return (events.get(payee.id) ?? []).map(event => ({
      detector: sanctionsMatch.name,
      event,
      finding: findingOf(screened, event),
    }));
  });
}
