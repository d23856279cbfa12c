import type { Db } from '#shared/platform/db.ts';
import { type AuditEntry, recordAudit } from '#shared/interface/audit_log.ts';
import { moveVersions } from '#shared/interface/versions.ts';
import { listOrganizations } from '#shared/people/organizations.ts';
import { EVERYBODY } from './screening_lists.ts';

/**
 * Records in the audit log of its organization what the operator or the schedule did to a list; for a shared list in the audit logs of all
 * organizations, since all are screened against it. In the transaction of the change.
 */
export async function auditList(
  tx: Db,
  { org_id, environment }: { org_id: string; environment: string },
  entry: AuditEntry,
  now: number,
): Promise<void> {
  const ids = org_id === EVERYBODY ? (await listOrganizations(tx)).map(({ id }) => id) : [org_id];
  const concerned = ids.map(id => ({ org_id: id, environment }));
  await recordAudit(tx, concerned, { actor_id: null, request_id: null }, [entry], now);
  await moveVersions(tx, concerned, ['audit_log']);
}
