import { z } from 'zod';
import { type Db, sql } from '#shared/platform/db.ts';
import { EVERYBODY } from './screening_lists.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { timestamp } from '#shared/values/time.ts';

const Waiting = z.object({ org_id: z.string(), environment: z.string(), since: z.string() });
type Waiting = z.infer<typeof Waiting>;

/** Most logs claimed at a time. */
const MOST_LOGS = 1_000;

/**
 * Logs with payees that have been due since before a time, or with payees that are still to be compared with the changes in a list; longest
 * waiting first. Payees of logs without any list wait until one is loaded. One index look-up per log.
 */
export async function logsToScreen(db: Db, before: number): Promise<Waiting[]> {
  const waiting = [...(await logsWithDuePayees(db, before)), ...(await logsToRescreen(db, before))];
  const logs = [...Map.groupBy(waiting, ({ org_id, environment }) => `${org_id} ${environment}`).values()];
  return logs
    .flatMap(each => each.toSorted(bySince).slice(0, 1))
    .toSorted(bySince)
    .slice(0, MOST_LOGS);
}

const bySince = (a: Waiting, b: Waiting) => (a.since < b.since ? -1 : 1);

const Owner = z.object({ org_id: z.string() });

async function logsWithDuePayees(db: Db, before: number): Promise<readonly Waiting[]> {
  const owners = await db.anyFirst(sql.type(Owner)`
    select distinct org_id from screening_lists where removed_at is null`);
  if (owners.length === 0) return [];
  const hasList = owners.includes(EVERYBODY)
    ? sql.fragment`true`
    : sql.fragment`l.org_id = any(${sql.array([...owners], 'text')})`;
  const due = sql.fragment`
    from payee_screenings p where p.org_id = l.org_id and p.environment = l.environment and p.due_at <= ${timestamp(before)}`;
  return db.any(sql.type(Waiting)`
    select l.org_id, l.environment, (select min(p.due_at) ${due}) as since from event_logs l
    where ${hasList} and exists (select ${due})
    order by since limit ${MOST_LOGS}`);
}

const logsToRescreen = (db: Db, before: number) =>
  db.any(sql.type(Waiting)`
    select org_id, environment, min(next_at) as since from screening_rescreens where next_at <= ${timestamp(before)}
    group by org_id, environment order by min(next_at) limit ${MOST_LOGS}`);

const Held = z.object({ held: z.boolean() });

/** Whether a process is screening payees of a log now: it holds the next payee, or the next re-screening. */
export const isScreening = (db: Db, { org_id, environment }: Tenant, now: number) =>
  db.oneFirst(sql.type(Held)`
    with due as (
      select payee_id from payee_screenings
      where org_id = ${org_id} and environment = ${environment} and due_at <= ${timestamp(now)}
      order by due_at limit 1
    ), free as (
      select payee_id from payee_screenings
      where org_id = ${org_id} and environment = ${environment} and payee_id in (select payee_id from due) for key share skip locked
    ), rescreens as (
      select list_org, list from screening_rescreens
      where org_id = ${org_id} and environment = ${environment} and next_at <= ${timestamp(now)}
      order by next_at, list_org, list limit 1
    ), free_rescreens as (
      select list from screening_rescreens
      where org_id = ${org_id} and environment = ${environment} and (list_org, list) in (select list_org, list from rescreens)
      for key share skip locked
    )
    select (select count(*) from due) > (select count(*) from free)
      or (select count(*) from rescreens) > (select count(*) from free_rescreens) as held`);
