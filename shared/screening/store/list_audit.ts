import type { Db } from '#shared/platform/db.ts';
import { type AuditEntry, recordAudit } from '#shared/interface/audit_log.ts';
import { moveVersions } from '#shared/interface/versions.ts';
import { listOrganizations } from '#shared/people/organizations.ts';
import { EVERYBODY } from './screening_lists.ts';

/**
 * Writes what the operator or the schedule did to a list into the audit log of its organization; what was done to a list of everybody into
 * those of all organizations, because all are screened by it. In the transaction that did it.
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
