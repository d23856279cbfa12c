import { ulid } from 'ulid';
import { type Db, sql } from '#shared/platform/db.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { timestamp } from '#shared/values/time.ts';

/** Entries of the audit log as they were written at some time, one a target. What makes ids in this process would not go back. */
export async function oldAudit(
  db: Db,
  { org_id, environment }: Tenant,
  targets: readonly (string | null)[],
  at: number,
): Promise<void> {
  const rows = targets.map(target => [`aud_${ulid(at)}`, target]);
  await db.query(sql.unsafe`
    insert into audit_log (org_id, environment, id, action, target_id, at)
    select ${org_id}, ${environment}, id, 'case.noted', target_id, ${timestamp(at)}
    from ${sql.unnest(rows, ['text', 'text'])} as r (id, target_id)`);
}
