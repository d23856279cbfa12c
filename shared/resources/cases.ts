import { z } from 'zod';
import { type Db, sql } from '#shared/db.ts';
import { newId } from '#shared/ids.ts';
import type { Severity } from '#shared/resources/alerts.ts';
import type { Tenant } from '#shared/schemas.ts';
import { timestamp } from '#shared/time.ts';

/**
 * The agent's open case, or a new one with the alert's title and severity. Answers with the case's id.
 * The agent's row is locked, so that two alerts escalated at once land in one case.
 */
export async function joinOpenCase(
  tx: Db,
  { org_id, environment }: Tenant,
  { agent_id, title, severity }: { agent_id: string; title: string; severity: Severity },
  actor_id: string | null,
  now: number,
): Promise<string> {
  await tx.query(sql.unsafe`
    select from agents where org_id = ${org_id} and environment = ${environment} and id = ${agent_id} for update`);
  const open = await tx.maybeOneFirst(sql.type(z.object({ id: z.string() }))`
    select id from cases
    where org_id = ${org_id} and environment = ${environment} and agent_id = ${agent_id} and status <> 'closed'
    order by id desc limit 1`);
  if (open) return open;
  const id = newId('cas', now);
  await tx.query(sql.unsafe`
    insert into cases (org_id, environment, id, title, priority, agent_id, created_by, created_at)
    values (${org_id}, ${environment}, ${id}, ${title}, ${severity}, ${agent_id}, ${actor_id}, ${timestamp(now)})`);
  return id;
}
