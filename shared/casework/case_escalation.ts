import { z } from 'zod';
import { type Db, sql } from '#shared/platform/db.ts';
import { newId } from '#shared/interface/ids.ts';
import type { Severity } from './alerts.ts';
import { linkTargets } from './case_links.ts';
import { noteInCase } from './case_timeline.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { timestamp } from '#shared/values/time.ts';

type Escalated = {
  alerts: readonly { id: string; agent_id: string; case_id: string | null }[];
  /** The agent of all alerts; null if there are several. */
  agent_id: string | null;
  title: string;
  severity: Severity;
};

/**
 * Puts alerts that are escalated together into an open case: those in one stay there, the others join it, or their agent's, or a new one
 * with this title and severity. The caller has locked the alerts; then the agent's row is locked, so that alerts escalated concurrently
 * land in one case, then the cases, so that they stay open.
 */
export async function escalateToCase(
  tx: Db,
  tenant: Tenant,
  escalated: Escalated,
  actor_id: string | null,
  now: number,
): Promise<void> {
  const { org_id, environment } = tenant;
  const { alerts, agent_id } = escalated;
  if (agent_id !== null)
    await tx.query(sql.unsafe`
      select from agents where org_id = ${org_id} and environment = ${environment} and id = ${agent_id} for update`);
  const own_ids = [...new Set(alerts.flatMap(({ case_id }) => case_id ?? []))];
  const own =
    own_ids.length > 0 ? await lockOpen(tx, tenant, sql.fragment`id = any(${sql.array(own_ids, 'text')})`) : [];
  const outside = alerts.filter(({ case_id }) => case_id === null || !own.includes(case_id));
  if (outside.length === 0) return;
  const [joined = await openCase(tx, tenant, escalated, actor_id, now)] =
    own.length > 0 || agent_id === null ? own : await lockOpen(tx, tenant, sql.fragment`agent_id = ${agent_id}`);
  const targets = outside.map(alert => ({ kind: 'alert' as const, id: alert.id, agent_id: alert.agent_id }));
  await linkTargets(tx, tenant, joined, targets, actor_id, now);
}

/** The open cases, newest first, locked until the transaction ends. */
const lockOpen = (tx: Db, { org_id, environment }: Tenant, which: ReturnType<typeof sql.fragment>) =>
  tx.anyFirst(sql.type(z.object({ id: z.string() }))`
    select id from cases
    where org_id = ${org_id} and environment = ${environment} and ${which} and status <> 'closed'
    order by id desc for update`);

async function openCase(
  tx: Db,
  tenant: Tenant,
  { agent_id, title, severity }: Escalated,
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
