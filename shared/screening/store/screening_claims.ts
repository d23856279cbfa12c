import { z } from 'zod';
import { type Db, sql } from '#shared/platform/db.ts';
import { EVERYBODY } from './screening_lists.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { timestamp } from '#shared/values/time.ts';

const Waiting = z.object({ org_id: z.string(), environment: z.string(), since: z.string() });

/** Most logs that are looked at again at a time. */
const MOST_LOGS = 1_000;

/**
 * Logs with payees that have been due since before a time, or whose payees are still to be held against what changed in a list; those that
 * wait longest first. Payees that no list is there for wait until one is loaded. One look at an index for each log.
 */
export const logsToScreen = (db: Db, before: number) =>
  db.any(sql.type(Waiting)`
    select w.org_id, w.environment, min(w.since) as since from (
      select l.org_id, l.environment, d.since from event_logs l
      cross join lateral (
        select p.screening_due_at as since from payees p
        where p.org_id = l.org_id and p.environment = l.environment and p.screening_due_at <= ${timestamp(before)}
        order by p.screening_due_at limit 1) d
      where exists (select from screening_lists s where s.org_id in (${EVERYBODY}, l.org_id) and s.removed_at is null)
      union all
      select org_id, environment, next_at from screening_rescreens where next_at <= ${timestamp(before)}) w
    group by w.org_id, w.environment
    order by since limit ${MOST_LOGS}`);

/** Whether somebody screens payees of a log at this moment: holds the one that is next, or what its payees are next held against. */
export const isScreening = (db: Db, { org_id, environment }: Tenant, now: number) =>
  db.oneFirst(sql.type(z.object({ held: z.boolean() }))`
    with due as (
      select id from payees
      where org_id = ${org_id} and environment = ${environment} and screening_due_at <= ${timestamp(now)}
      order by screening_due_at limit 1
    ), free as (
      select id from payees
      where org_id = ${org_id} and environment = ${environment} and id in (select id from due) for key share skip locked
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
