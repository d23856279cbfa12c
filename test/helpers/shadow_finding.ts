import type { Db } from '#shared/platform/db.ts';
import { saveQuietFindings } from '#shared/detection/consumer/quiet_findings.ts';
import { COOLDOWN_S } from '#shared/detection/settings/detector_settings.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { moveVersions } from '#shared/interface/versions.ts';

type Options = {
  event: { id: string; agent_id: string; payee_id: string; chain_seq: number };
  detector?: string;
  subject?: string;
  at?: number;
};

/** What a detector in shadow found of an event, as detection would have recorded it. */
export async function shadowFinding(db: Db, tenant: Tenant, options: Options): Promise<void> {
  const { event, detector = 'velocity_count', subject = '', at = Date.now() } = options;
  const finding = { score: 55.5, title: 'Too many payments', explanation: 'More than usual.', subject, seqs: [] };
  const rules = { shadow: true, severity_floor: 'low', cooldown_s: COOLDOWN_S, reason: 'shadow' } as const;
  await saveQuietFindings(db, tenant, [{ detector, event, finding, ...rules, dedup_agent_id: event.agent_id }], at);
  await moveVersions(db, tenant, ['alerts']);
}
