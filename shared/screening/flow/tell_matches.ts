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
 * What to do after the commit. `findings`: how many were saved in new or open alerts. `held`: detection may have had to wait for the log's
 * cursor.
 */
export type ToldMatches = { raised: Raised[]; findings: number; jobs: Jobs['webhook'][]; held: boolean };

/** Nothing to report. */
export const nothingTold: ToldMatches = { raised: [], findings: 0, jobs: [], held: false };

/**
 * Reports payees that someone must review: a webhook for each, and an alert if it was paid before. A payment that is not analyzed yet
 * raises its alert then: both sides hold the log's cursor while they read what the other has written.
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

/** Whether the payee had not been screened when it was paid. */
const wasUnknown = ({ payee: { screening_state } }: SavedLook) =>
  screening_state === 'pending' || screening_state === 'error';

const concern = (looks: readonly SavedLook[]) => looks.map(({ payee }) => payee.id);

/**
 * The detector's findings on a payee's analyzed events up to `seq`. For a payee that had not been screened: the latest payment of every
 * agent. When a list or a decision changed: the latest event.
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
