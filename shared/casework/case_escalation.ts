import { z } from 'zod';
import { type Db, sql } from '#shared/platform/db.ts';
import { newId } from '#shared/interface/ids.ts';
import type { Severity } from './alerts.ts';
import { linkTargets } from './case_links.ts';
import { noteInCase } from './case_timeline.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { timestamp } from '#shared/values/time.ts';

type EscalatedAlert = {
  id: string;
  agent_id: string;
  title: string;
  severity: Severity;
  case_id: string | null;
};

/**
 * Puts an alert into a case that is not closed: the one it is in, or its agent's, or a new one with its title and severity. Answers
 * with the case's id. The alert's row is locked by the caller, then the agent's, so that two alerts escalated at once land in one
 * case, then the case's, so that it stays open.
 */
export async function escalateToCase(
  tx: Db,
  tenant: Tenant,
  alert: EscalatedAlert,
  actor_id: string | null,
  now: number,
): Promise<string> {
  const { org_id, environment } = tenant;
  const { id, agent_id, case_id } = alert;
  const own = case_id && (await lockOpen(tx, tenant, sql.fragment`id = ${case_id}`));
  if (own) return own;
  await tx.query(sql.unsafe`
    select from agents where org_id = ${org_id} and environment = ${environment} and id = ${agent_id} for update`);
  const joined =
    (await lockOpen(tx, tenant, sql.fragment`agent_id = ${agent_id}`)) ??
    (await openCase(tx, tenant, alert, actor_id, now));
  await linkTargets(tx, tenant, joined, [{ kind: 'alert', id, agent_id }], actor_id, now);
  return joined;
}

const lockOpen = (tx: Db, { org_id, environment }: Tenant, which: ReturnType<typeof sql.fragment>) =>
  tx.maybeOneFirst(sql.type(z.object({ id: z.string() }))`
    select id from cases
    where org_id = ${org_id} and environment = ${environment} and ${which} and status <> 'closed'
    order by id desc limit 1 for update`);

async function openCase(
  tx: Db,
  tenant: Tenant,
  { agent_id, title, severity }: EscalatedAlert,
  actor_id: string | null,
  now: number,
): Promise<string> {
  const { org_id, environment } = tenant;
  const id = newId('cas', now);
  await tx.query(sql.unsafe`
    insert into cases (org_id, environment, id, title, priority, agent_id, created_by, created_at)
    values (${org_id}, ${environment}, ${id}, ${title}, ${severity}, ${agent_id}, ${actor_id}, ${timestamp(now)})`);
  await noteInCase(tx, tenant, id, actor_id, [{ kind: 'created' }], now);
  return id;
}
