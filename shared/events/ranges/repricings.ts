import { z } from 'zod';
import { Tenant } from '#shared/interface/schemas.ts';
import { tableOf } from '#shared/platform/bulk.ts';
import { type Db, sql } from '#shared/platform/db.ts';
import { HOUR, MINUTE, SECOND, timestamp } from '#shared/values/time.ts';
import { hasRated, hasUnpriced, unpricedLogs } from './unpriced.ts';
import { byTenant } from '#shared/interface/by_tenant.ts';

/** How long a job has for its part before reconcile queues another. */
const LEASE = 30 * SECOND;
/** Rows that are leased at a look. */
const MOST_AT_ONCE = 500;
/** Looks, a minute apart, after which every process has the rates that were loaded; then one an hour is enough. */
const LOOKS = 2;

/**
 * Looks for logs with events that may be priced now, where rates have changed or it is time; of several processes that ask, one does. Says
 * whether rates have changed, as it does for some minutes.
 */
export const requestRepricings = (db: Db, now: number): Promise<boolean> =>
  db.transaction(async tx => {
    const change = await tx.maybeOne(sql.type(z.object({ version: z.number(), looks: z.number() }))`
      select version, looks from rate_changes where next_at <= ${timestamp(now)} for update skip locked`);
    if (!change) return false;
    const logs = await tx.any(sql.type(Tenant)`
      select l.org_id, l.environment from (${unpricedLogs()}) l left join repricings d using (org_id, environment)
      where d.rate_version is distinct from ${change.version}
        or (d.next_at is null and ${hasUnpriced(sql.fragment`l`, sql.fragment`d.after_seq`)})`);
    await tx.query(sql.unsafe`
      insert into repricings as r (org_id, environment, rate_version, next_at, requested_at)
      select l.org_id, l.environment, ${change.version}, ${timestamp(now)}, ${timestamp(now)}
      from ${tableOf('l', logs, { org_id: 'text', environment: 'text' })}
      on conflict (org_id, environment) do update set rate_version = excluded.rate_version,
        after_seq = case when r.rate_version = excluded.rate_version then r.after_seq else 0 end,
        next_at = coalesce(r.next_at, excluded.next_at), requested_at = coalesce(r.requested_at, excluded.requested_at)`);
    const next = now + (change.looks < LOOKS ? MINUTE : HOUR);
    await tx.query(sql.unsafe`
      update rate_changes set looks = least(looks + 1, ${LOOKS}), next_at = ${timestamp(next)}`);
    return change.looks < LOOKS;
  });

/** Logs with events to be priced and nobody at it; they are leased. */
export async function claimRepricings(db: Db, now: number) {
  const due = sql.fragment`next_at <= ${timestamp(now)}`;
  const candidates = await db.any(sql.type(Tenant)`
    select org_id, environment from repricings where ${due} order by next_at limit ${MOST_AT_ONCE}`);
  return byTenant(candidates, ({ org_id, environment }) =>
    db.any(sql.type(Tenant)`
      update repricings set next_at = ${timestamp(now + LEASE)}
      where org_id = ${org_id} and environment = ${environment} and environment in (
        select environment from repricings where org_id = ${org_id} and environment = ${environment} and ${due} for update skip locked)
      returning org_id, environment`),
  );
}

/** Since when the oldest of them waits; null when there is none. */
export const oldestRepricing = (db: Db): Promise<string | null> =>
  db.oneFirst(sql.type(z.object({ since: z.string().nullable() }))`select min(requested_at) as since from repricings`);

const RepricingRow = z.object({ rate_version: z.number(), after_seq: z.number(), seq: z.number() });
export type RepricingRow = z.infer<typeof RepricingRow>;

/** How far the pricing of a log has got, and where its cursor stands (`seq`); null where nothing is to be priced. */
export const readRepricing = (db: Db, { org_id, environment }: Tenant) =>
  db.maybeOne(sql.type(RepricingRow)`
    select r.rate_version, r.after_seq, c.seq from repricings r join detection_cursors c using (org_id, environment)
    where r.org_id = ${org_id} and r.environment = ${environment} and r.next_at is not null`);

/** Notes that the events up to `after_seq` are done, unless another has moved it or it was requested for other rates. */
export const moveRepricing = (db: Db, tenant: Tenant, request: RepricingRow, after_seq: number) =>
  db.query(sql.unsafe`update repricings r set after_seq = ${after_seq} where ${isAsRead(tenant, request)}`);

/**
 * Ends the pricing of a log, unless it has events in one of the currencies that rates are known of, which are not analyzed yet: it is looked at
 * again when the lease is over.
 */
export const endRepricing = (db: Db, tenant: Tenant, request: RepricingRow, currencies: readonly string[]) =>
  db.query(sql.unsafe`
    update repricings r set after_seq = ${request.seq}, next_at = null, requested_at = null
    where ${isAsRead(tenant, request)} and not ${hasRated(sql.fragment`r`, sql.fragment`${request.seq}`, currencies)}`);

const isAsRead = ({ org_id, environment }: Tenant, { rate_version, after_seq }: RepricingRow) => sql.fragment`
  r.org_id = ${org_id} and r.environment = ${environment} and r.rate_version = ${rate_version} and r.after_seq = ${after_seq}`;

/** Has the pricing of a log gone on with at the next look. */
export const pauseRepricing = (db: Db, { org_id, environment }: Tenant, now: number) =>
  db.query(sql.unsafe`
    update repricings set next_at = ${timestamp(now)}
    where org_id = ${org_id} and environment = ${environment} and next_at is not null`);
