import type { Db } from '#shared/platform/db.ts';
import { type Raised, raiseAlerts } from './raise_alerts.ts';
import type { CatalogEntry, EventFinding } from '#shared/detection/model/detector.ts';
import type { Jobs } from '#shared/platform/jobs.ts';
import type { Active } from '#shared/detection/settings/detector_settings.ts';
import { insertDeliveries } from '#shared/webhooks/webhook_deliveries.ts';
import type { Tenant } from '#shared/interface/schemas.ts';

/**
 * Turns findings into alerts (see `raiseAlerts`) and writes a delivery of `alert.created` for each new one. Returns those alerts, with the
 * jobs to queue after the commit.
 */
export async function tellFindings(
  tx: Db,
  tenant: Tenant,
  findings: readonly EventFinding[],
  active: readonly Active<CatalogEntry>[],
  now: number,
): Promise<{ raised: Raised[]; jobs: Jobs['webhook'][] }> {
  const raised = await raiseAlerts(tx, tenant, findings, active, now);
  const jobs = await insertDeliveries(
    tx,
    tenant,
    raised.map(({ alert_id, event_id }) => ({ type: 'alert.created' as const, data: { alert_id, event_id } })),
    now,
  );
  return { raised, jobs };
}
