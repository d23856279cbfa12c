import { z } from 'zod';
import { type Db, sql } from '#shared/platform/db.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { timestamp } from '#shared/values/time.ts';

/** From which score on a match is a potential one, where an organization has not said otherwise. */
export const DEFAULT_THRESHOLD = 0.85;

/** A threshold as somebody gives it: scores are kept to four decimals. */
export const ThresholdInput = z
  .number()
  .min(0)
  .max(1)
  .overwrite(value => Math.round(value * 10_000) / 10_000);

const Threshold = z.object({ threshold: z.number() });

/** From which score on a match of this tenant is a potential one. */
export async function readThreshold(db: Db, { org_id, environment }: Tenant): Promise<number> {
  const set = await db.maybeOneFirst(sql.type(Threshold)`
    select threshold::float8 from screening_settings where org_id = ${org_id} and environment = ${environment}`);
  return set ?? DEFAULT_THRESHOLD;
}

/** Sets it, 0 to 1. Payees are not screened anew by that: see `requestFullRescreen`. */
export const saveThreshold = (tx: Db, { org_id, environment }: Tenant, threshold: number, now: number) =>
  tx.query(sql.unsafe`
    insert into screening_settings (org_id, environment, threshold, updated_at)
    values (${org_id}, ${environment}, ${threshold}, ${timestamp(now)})
    on conflict (org_id, environment) do update set threshold = excluded.threshold, updated_at = excluded.updated_at`);
