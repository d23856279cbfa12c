import { z } from 'zod';
import { WORSE_BY } from '#shared/detection/consumer/raise_alerts.ts';
import type { EventFinding } from '#shared/detection/model/detector.ts';
import { linking } from '#shared/events/log/holding.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { tableOf } from '#shared/platform/bulk.ts';
import { type Db, sql } from '#shared/platform/db.ts';

const Told = z.object({ place: z.number() });

/**
 * The findings of which no alert tells yet: one of the same detector that names the event; of conduct one of any that does, and is as strong, or, once it is closed, nearly so. A stronger
 * one makes the alert graver, as it does where it is found at once.
 */
export async function withoutTold(
  tx: Db,
  tenant: Tenant,
  findings: readonly EventFinding[],
): Promise<readonly EventFinding[]> {
  if (findings.length === 0) return findings;
  const { org_id, environment } = tenant;
  const rows = findings.map(({ detector, event, finding }, place) => ({
    place,
    event_id: event.id,
    agent_id: event.agent_id,
    detector,
    score: finding.conduct_at === undefined ? null : finding.score,
  }));
  const told = await tx.any(sql.type(Told)`
    select r.place from ${tableOf('r', rows, { place: 'int8', event_id: 'text', agent_id: 'text', detector: 'text', score: 'numeric' })}
    where exists (
      select from alert_events n join alerts a on a.org_id = ${org_id} and a.environment = ${environment} and a.id = n.alert_id
      where ${linking(tenant, sql.fragment`r.event_id`)} and case
        when r.score is null then a.detector = r.detector
        else a.conduct_at is not null and a.agent_id = r.agent_id
          and a.score >= round(r.score, 1) - case when a.state in ('resolved', 'dismissed') then ${WORSE_BY} else 0 end end)`);
  const places = new Set(told.map(({ place }) => place));
  return findings.filter((_, place) => !places.has(place));
}
