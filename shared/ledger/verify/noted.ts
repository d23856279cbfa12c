import { z } from 'zod';
import { moveVersions } from '#shared/interface/versions.ts';
import { type Tenant, Timestamp } from '#shared/interface/schemas.ts';
import { type Db, sql } from '#shared/platform/db.ts';
import { timestamp } from '#shared/values/time.ts';

/** The latest verification of a log that was asked for over the API. */
export const LastVerification = z
  .object({
    at: Timestamp,
    by: z.string().meta({ description: '`usr_…` or `key_…`' }),
    from_seq: z.int(),
    to_seq: z.int(),
    ok: z.boolean(),
  })
  .meta({ id: 'LastVerification' });
export type LastVerification = z.infer<typeof LastVerification>;

/** A verification that failed, and that no later one of the same events has found intact. */
export const FailedVerification = LastVerification.omit({ ok: true })
  .extend({
    first_bad_seq: z
      .int()
      .nullable()
      .meta({ description: 'the first event that failed; null: what failed is no event' }),
    reason: z.string(),
  })
  .meta({ id: 'FailedVerification' });
export type FailedVerification = z.infer<typeof FailedVerification>;

/** The latest one. Null where everything that failed was found intact since. */
export const readFailedVerification = (db: Db, { org_id, environment }: Tenant): Promise<FailedVerification | null> =>
  db.maybeOne(sql.type(FailedVerification)`
    select at, by, from_seq, to_seq, nullif(first_bad_seq, 0) as first_bad_seq, reason from failed_verifications
    where org_id = ${org_id} and environment = ${environment} order by at desc, first_bad_seq limit 1`);

/** Null where none was asked for yet. */
export const readLastVerification = (db: Db, { org_id, environment }: Tenant): Promise<LastVerification | null> =>
  db.maybeOne(sql.type(LastVerification)`
    select at, by, from_seq, to_seq, ok from log_verifications where org_id = ${org_id} and environment = ${environment}`);

/** What to write down of a verification. `reason`: what is wrong; undefined where all is intact. */
type Noted = Omit<LastVerification, 'at' | 'ok'> & { first_bad_seq: number | null; reason?: string | undefined };

/**
 * Writes down who verified which part of a log, and whether it is intact. What failed is kept until the same events, or more, are found
 * intact.
 */
export const noteVerification = (
  db: Db,
  tenant: Tenant,
  { by, from_seq, to_seq, first_bad_seq, reason }: Noted,
  now: number,
): Promise<void> =>
  db.transaction(async tx => {
    await tx.query(sql.unsafe`
      insert into log_verifications (org_id, environment, at, by, from_seq, to_seq, ok)
      values (${tenant.org_id}, ${tenant.environment}, ${timestamp(now)}, ${by}, ${from_seq}, ${to_seq}, ${reason === undefined})
      on conflict (org_id, environment) do update
      set at = excluded.at, by = excluded.by, from_seq = excluded.from_seq, to_seq = excluded.to_seq, ok = excluded.ok`);
    const here = sql.fragment`org_id = ${tenant.org_id} and environment = ${tenant.environment}`;
    if (reason === undefined)
      await tx.query(sql.unsafe`
        delete from failed_verifications where ${here} and from_seq >= ${from_seq} and to_seq <= ${to_seq}`);
    else
      await tx.query(sql.unsafe`
        insert into failed_verifications as f (org_id, environment, first_bad_seq, at, by, from_seq, to_seq, reason)
        values (${tenant.org_id}, ${tenant.environment}, ${first_bad_seq ?? 0}, ${timestamp(now)}, ${by}, ${from_seq}, ${to_seq}, ${reason})
        on conflict (org_id, environment, first_bad_seq) do update
        set at = excluded.at, by = excluded.by, reason = excluded.reason,
          from_seq = least(f.from_seq, excluded.from_seq), to_seq = greatest(f.to_seq, excluded.to_seq)`);
    await moveVersions(tx, tenant, ['log_checkpoints']);
  });
