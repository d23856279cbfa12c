import type { FragmentSqlToken } from 'slonik';
import { z } from 'zod';
import { type Db, sql } from '#shared/platform/db.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { timestamp } from '#shared/values/time.ts';

/** The default score from which a match is a potential match. */
export const DEFAULT_THRESHOLD = 0.85;

/** A threshold as input: scores have four decimals. */
export const ThresholdInput = z
  .number()
  .min(0)
  .max(1)
  .overwrite(value => Math.round(value * 10_000) / 10_000);

const Threshold = z.object({ threshold: z.number() });

/** The tenant's score from which a match is a potential match. */
export async function readThreshold(db: Db, { org_id, environment }: Tenant): Promise<number> {
  const set = await db.maybeOneFirst(sql.prepared('read_screening_threshold', Threshold)`
    select threshold::float8 from screening_settings where org_id = ${org_id} and environment = ${environment}`);
  return set ?? DEFAULT_THRESHOLD;
}

/** A condition: this is the tenant's threshold. */
export const isThreshold = ({ org_id, environment }: Tenant, threshold: number): FragmentSqlToken => sql.fragment`
  coalesce((
    select threshold::float8 from screening_settings where org_id = ${org_id} and environment = ${environment}
  ), ${DEFAULT_THRESHOLD}::float8) = ${threshold}::float8`;

/** Sets the threshold, 0 to 1. This does not screen payees again: see `requestFullRescreen`. */
export const saveThreshold = (tx: Db, { org_id, environment }: Tenant, threshold: number, now: number) =>
  tx.query(sql.unsafe`
    insert into screening_settings (org_id, environment, threshold, updated_at)
    values (${org_id}, ${environment}, ${threshold}, ${timestamp(now)})
    on conflict (org_id, environment) do update set threshold = excluded.threshold, updated_at = excluded.updated_at`);
