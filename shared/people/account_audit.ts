import type { Db } from '#shared/platform/db.ts';
import { type Actor, type AuditEntry, recordAudit } from '#shared/interface/audit_log.ts';
import { moveVersions } from '#shared/interface/versions.ts';

/** Something done to an account, and the organization whose log it belongs in. */
export type AccountEntry = AuditEntry & { org_id: string };

/**
 * Records changes to a person, who may act in several organizations, each entry in its own log. `enrollment`: it also shows in the lists of
 * members. Last in its transaction.
 */
export async function recordAccount(
  tx: Db,
  environment: string,
  actor: Actor,
  entries: readonly AccountEntry[],
  now: number,
  enrollment = false,
): Promise<void> {
  const byOrganization = Map.groupBy(entries, ({ org_id }) => org_id);
  for (const [org_id, own] of byOrganization) await recordAudit(tx, { org_id, environment }, actor, own, now);
  const tenants = [...byOrganization.keys()].map(org_id => ({ org_id, environment }));
  await moveVersions(tx, tenants, enrollment ? ['audit_log', 'members'] : ['audit_log']);
}
