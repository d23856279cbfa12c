import { z } from 'zod';
import { referenceRates } from '#shared/events/input/reference_rates.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { type Db, sql } from '#shared/platform/db.ts';
import { HOUR, MINUTE, SECOND, timestamp } from '#shared/values/time.ts';
import { hasUnpricedAfter, unpricedLogs } from './unpriced.ts';

/** How long a job has for its part before reconcile queues another. */
const LEASE = 30 * SECOND;
/** Rows that are leased at a look. */
const MOST_AT_ONCE = 500;
/** Looks, a minute apart, after which every process has the rates that were loaded; then one an hour is enough. */
const LOOKS = 2;

const currencies = [...referenceRates.keys()];

/** Looks for logs with events that can be priced now, where rates have changed or it is time; of several processes that ask, one does. */
export const requestRepricings = (db: Db, now: number) =>
  db.transaction(async tx => {
    const looks = await tx.maybeOneFirst(sql.type(z.object({ looks: z.number() }))`
      select looks from rate_changes where next_at <= ${timestamp(now)} for update skip locked`);
    if (looks === null) return;
    await tx.query(sql.unsafe`
      insert into repricings as r (org_id, environment, next_at, requested_at)
      select l.org_id, l.environment, ${timestamp(now)}, ${timestamp(now)} from (${unpricedLogs(currencies)}) l
      on conflict (org_id, environment) do update set after_currency = '', after_seq = 0`);
    const next = now + (looks < LOOKS ? MINUTE : HOUR);
    await tx.query(sql.unsafe`
      update rate_changes set looks = least(looks + 1, ${LOOKS}), next_at = ${timestamp(next)}`);
  });

const TenantRow = z.object({ org_id: z.string(), environment: z.string() });

/** Logs with events to be priced and nobody at it; they are leased. */
export const claimRepricings = (db: Db, now: number) =>
  db.any(sql.type(TenantRow)`
    update repricings set next_at = ${timestamp(now + LEASE)}
    where (org_id, environment) in (
      select org_id, environment from repricings
      where next_at <= ${timestamp(now)} order by next_at limit ${MOST_AT_ONCE} for update skip locked)
    returning org_id, environment`);

/** Since when the oldest of them waits; null when there is none. */
export const oldestRepricing = (db: Db): Promise<string | null> =>
  db.oneFirst(sql.type(z.object({ since: z.string().nullable() }))`select min(requested_at) as since from repricings`);

const RepricingRow = z.object({ after_currency: z.string(), after_seq: z.number() });

/** How far the pricing of a log has got; null where nothing is to be priced. */
export const readRepricing = (tx: Db, { org_id, environment }: Tenant) =>
  tx.maybeOne(sql.type(RepricingRow)`
    select after_currency, after_seq from repricings where org_id = ${org_id} and environment = ${environment}`);

export const moveRepricing = (
  tx: Db,
  { org_id, environment }: Tenant,
  { currency, chain_seq }: { currency: string; chain_seq: number },
) =>
  tx.query(sql.unsafe`
    update repricings set after_currency = ${currency}, after_seq = ${chain_seq} where org_id = ${org_id} and environment = ${environment}`);

/** Ends the pricing of a log, or has it begun again later where events after `seq` are not analyzed yet. */
export async function endRepricing(tx: Db, tenant: Tenant, seq: number) {
  const { org_id, environment } = tenant;
  if (await hasUnpricedAfter(tx, tenant, seq, currencies))
    await moveRepricing(tx, tenant, { currency: '', chain_seq: 0 });
  else await tx.query(sql.unsafe`delete from repricings where org_id = ${org_id} and environment = ${environment}`);
}
