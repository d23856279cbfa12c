import { z } from 'zod';
import { type Db, sql } from '#shared/platform/db.ts';
import { EVERYBODY } from './screening_lists.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { timestamp } from '#shared/values/time.ts';

const Waiting = z.object({ org_id: z.string(), environment: z.string(), since: z.string() });

/** Most logs claimed at a time. */
const MOST_LOGS = 1_000;

/**
 * Logs with payees that have been due since before a time, or with payees that are still to be compared with the changes in a list; longest
 * waiting first. Payees of logs without any list wait until one is loaded. One index look-up per log.
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

/** Whether a process is screening payees of a log now: it holds the next payee, or the next re-screening. */
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
