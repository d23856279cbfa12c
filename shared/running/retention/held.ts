import type { FragmentSqlToken } from 'slonik';
import { z } from 'zod';
import { linking } from '#shared/events/log/holding.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { type Db, sql } from '#shared/platform/db.ts';
import { timestamp } from '#shared/values/time.ts';

/** The condition that a case `c` of the tenant holds its records: it is not closed, or is on hold. */
export const holdingCases = ({ org_id, environment }: Tenant): FragmentSqlToken => sql.fragment`
  c.org_id = ${org_id} and c.environment = ${environment} and (c.status <> 'closed' or exists (
    select from case_holds h where h.org_id = c.org_id and h.environment = c.environment and h.case_id = c.id))`;

const CaseRow = z.object({ id: z.string() });

/**
 * Those of these ids (of events, alerts, screenings, packs or cases) that belong to a case which is not closed, or is on hold: the case,
 * its links, its alerts, and the events of these.
 */
export async function heldByCases(db: Db, tenant: Tenant, ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const { org_id, environment } = tenant;
  const holds = holdingCases(tenant);
  const rows = await db.any(sql.type(CaseRow)`
    select a.id from unnest(${sql.array([...new Set(ids)], 'text')}) as a (id)
    where exists (select from cases c where c.id = a.id and ${holds})
      or exists (
        select from case_links l join cases c on c.id = l.case_id and ${holds}
        where l.org_id = ${org_id} and l.environment = ${environment} and l.target_id = a.id)
      or exists (
        select from alerts r join cases c on c.id = r.case_id and ${holds}
        where r.org_id = ${org_id} and r.environment = ${environment} and r.id = a.id)
      or exists (
        select from alert_events n
        join alerts r on r.org_id = n.org_id and r.environment = n.environment and r.id = n.alert_id
        join cases c on c.id = r.case_id and ${holds}
        where ${linking(tenant, sql.fragment`a.id`)})`);
  return new Set(rows.map(({ id }) => id));
}

export const CaseHold = z.object({ case_id: z.string(), reason: z.string(), held_at: z.string() });
export type CaseHold = z.infer<typeof CaseHold>;

/** The cases on hold, latest first. */
export const listHolds = (db: Db, { org_id, environment }: Tenant): Promise<readonly CaseHold[]> =>
  db.any(sql.type(CaseHold)`
    select case_id, reason, held_at from case_holds where org_id = ${org_id} and environment = ${environment}
    order by held_at desc, case_id`);

/** Puts a case on hold. Null if it already is. */
export const placeHold = (
  tx: Db,
  { org_id, environment }: Tenant,
  { case_id, reason }: { case_id: string; reason: string },
  now: number,
): Promise<CaseHold | null> =>
  tx.maybeOne(sql.type(CaseHold)`
    insert into case_holds (org_id, environment, case_id, reason, held_at)
    values (${org_id}, ${environment}, ${case_id}, ${reason}, ${timestamp(now)})
    on conflict do nothing returning case_id, reason, held_at`);

/** Ends the hold on a case. Returns it; null if there is none. */
export const releaseHold = (tx: Db, { org_id, environment }: Tenant, case_id: string): Promise<CaseHold | null> =>
  tx.maybeOne(sql.type(CaseHold)`
    delete from case_holds where org_id = ${org_id} and environment = ${environment} and case_id = ${case_id}
    returning case_id, reason, held_at`);
