import { z } from 'zod';
import { type Db, sql } from '#shared/platform/db.ts';
import type { ListRef } from './screening_entries.ts';
import { EVERYBODY } from './screening_lists.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { timestamp } from '#shared/values/time.ts';

/** The old and new version of a list. `in_full`: payees are compared with the whole list, not only with the changes. */
type ListChange = { from_version: number; to_version: number; in_full: boolean };

/**
 * Requests that every payee be compared with the changes in a list, in every log that the list applies to. A log still working on an
 * earlier change starts over with both. Logs without payees are included: that may be changing at this moment.
 */
export const requestRescreens = (
  tx: Db,
  { org_id, name }: ListRef,
  { from_version, to_version, in_full }: ListChange,
  now: number,
) =>
  tx.query(sql.unsafe`
    insert into screening_rescreens as r (org_id, environment, list_org, list, from_version, to_version, in_full, next_at)
    select org_id, environment, ${org_id}, ${name}, ${from_version}, ${to_version}, ${in_full}, ${timestamp(now)}::timestamptz
    from event_logs
    where ${org_id === EVERYBODY ? true : sql.fragment`org_id = ${org_id}`}
    order by org_id, environment
    on conflict (org_id, environment, list_org, list) do update set
      from_version = least(r.from_version, excluded.from_version), to_version = excluded.to_version,
      in_full = r.in_full or excluded.in_full, after_id = '', next_at = excluded.next_at`);

/** Requests that every payee of a log be screened in full, after a change of its screening settings. */
export const requestFullRescreen = (tx: Db, { org_id, environment }: Tenant, now: number) =>
  tx.query(sql.unsafe`
    insert into screening_rescreens (org_id, environment, list_org, list, from_version, to_version, in_full, next_at)
    values (${org_id}, ${environment}, ${EVERYBODY}, '', 0, 0, true, ${timestamp(now)})
    on conflict (org_id, environment, list_org, list) do update set after_id = '', next_at = excluded.next_at`);

const Rescreen = z.object({
  list_org: z.string(),
  list: z.string(),
  from_version: z.number(),
  to_version: z.number(),
  in_full: z.boolean(),
  after_id: z.string(),
});
export type Rescreen = z.infer<typeof Rescreen>;

const due = ({ org_id, environment }: Tenant, now: number) => sql.fragment`
  select list_org, list, from_version, to_version, in_full, after_id from screening_rescreens
  where org_id = ${org_id} and environment = ${environment} and next_at <= ${timestamp(now)}
  order by next_at, list_org, list limit 1`;

/** The next re-screening due in a log, claimed or not. */
export const nextRescreen = (db: Db, tenant: Tenant, now: number) =>
  db.maybeOne(sql.type(Rescreen)`${due(tenant, now)}`);

/** Locks the next re-screening due in a log until the transaction ends, unless another process has claimed it. */
export const takeRescreen = (tx: Db, tenant: Tenant, now: number) =>
  tx.maybeOne(sql.type(Rescreen)`${due(tenant, now)} for update skip locked`);

/** Records progress up to a payee and renews the claim; null: done. */
export const moveRescreen = (tx: Db, tenant: Tenant, rescreen: Rescreen, after_id: string | null, now: number) =>
  after_id === null
    ? tx.query(sql.unsafe`delete from screening_rescreens where ${here(tenant, rescreen)}`)
    : tx.query(sql.unsafe`
        update screening_rescreens set after_id = ${after_id}, next_at = ${timestamp(now)} where ${here(tenant, rescreen)}`);

const here = ({ org_id, environment }: Tenant, { list_org, list }: Rescreen) =>
  sql.fragment`org_id = ${org_id} and environment = ${environment} and list_org = ${list_org} and list = ${list}`;
