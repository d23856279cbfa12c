import { z } from 'zod';
import { isBehind } from '#shared/detection/consumer/behind.ts';
import { lockCursor } from '#shared/detection/consumer/cursor.ts';
import { summedDays } from '#shared/events/parties/agent_records.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { moveVersions } from '#shared/interface/versions.ts';
import { type Db, sql } from '#shared/platform/db.ts';
import { isOf } from '#shared/platform/spread.ts';
import type { Services } from '#shared/platform/services.ts';
import { warnOf } from '#shared/platform/warn_of.ts';
import { MOST_LOGS } from './sweep_of.ts';

/** How many agents are updated in one transaction; live detection of the log waits for it. */
const AGENTS_AT_ONCE = 200;

/**
 * Subtracts what agents spent more than 30 days ago from their recent spend: once a day (UTC) in each log, part by part, until `stopping`.
 * Each part saves how far it got in its own transaction. The sum is recomputed, which also repairs errors in it.
 */
export async function sweepRecentSpend(
  { db, queue, log, now }: Pick<Services, 'db' | 'queue' | 'log' | 'now'>,
  stopping?: AbortSignal,
): Promise<void> {
  for (const tenant of await dueLogs(db, summedDays(now()).last)) {
    try {
      for (let more = true; more && !stopping?.aborted;) {
        more = await db.transaction(tx => sweepPart(tx, tenant, now()));
        // Detection skips a log that is locked; of thousands of logs hardly any has grown meanwhile.
        if (await isBehind(db, tenant)) await queue.add('detect', [tenant]);
      }
    } catch (error) {
      warnOf(log, error, 'spending of agents not brought up to date', { org_id: tenant.org_id });
    }
  }
}

const dueLogs = (db: Db, day: string) =>
  db.any(sql.type(z.object({ org_id: z.string(), environment: z.string() }))`
    select org_id, environment from detection_cursors
    where spend_day is null or spend_day < ${day}::date or spend_after is not null limit ${MOST_LOGS}`);

const Place = z.object({ after: z.string().nullable() });
const Part = z.object({ last: z.string().nullable(), agents: z.number(), changed: z.number() });

/** Returns whether there is a next part. */
async function sweepPart(tx: Db, tenant: Tenant, now: number): Promise<boolean> {
  const { org_id, environment } = tenant;
  const { first, last } = summedDays(now);
  await lockCursor(tx, tenant);
  const place = await tx.maybeOne(sql.type(Place)`
    select case when spend_day = ${last}::date then spend_after else '' end as after from detection_cursors
    where org_id = ${org_id} and environment = ${environment}`);
  // Another process has done it.
  if (!place || place.after === null) return false;
  const part = await tx.one(sql.type(Part)`
    with part as (
      select agent_id, spend_usd_micro, last_seen_at from agent_totals
      where org_id = ${org_id} and environment = ${environment} and agent_id > ${place.after}
      order by agent_id limit ${AGENTS_AT_ONCE}
    ), sums as (
      select p.agent_id, h.spend_usd_micro
      from part p
      -- Laterals of one row keep the planner to the primary keys.
      cross join lateral (
        select number from agents a where a.org_id = ${org_id} and a.environment = ${environment} and a.id = p.agent_id limit 1) a
      cross join lateral (
        select coalesce(sum(spend_usd_micro), 0) as spend_usd_micro from hours_of_agents h
        where ${isOf('h', org_id)} and agent = a.number and hour >= ${first}::date) h
      where (p.spend_usd_micro <> 0 or p.last_seen_at >= ${first}::date) and h.spend_usd_micro <> p.spend_usd_micro
    ), changed as (
      update agent_totals t set spend_usd_micro = s.spend_usd_micro from sums s
      where t.org_id = ${org_id} and t.environment = ${environment} and t.agent_id = s.agent_id
      returning t.agent_id
    )
    select max(agent_id) as last, count(*)::int as agents, (select count(*)::int from changed) as changed from part`);
  const more = part.agents === AGENTS_AT_ONCE;
  await tx.query(sql.unsafe`
    update detection_cursors set spend_day = ${last}::date, spend_after = ${more ? part.last : null}
    where org_id = ${org_id} and environment = ${environment}`);
  await moveVersions(tx, tenant, part.changed > 0 ? ['agents'] : []);
  return more;
}
