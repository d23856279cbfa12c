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

/** Null where none was asked for yet. */
export const readLastVerification = (db: Db, { org_id, environment }: Tenant): Promise<LastVerification | null> =>
  db.maybeOne(sql.type(LastVerification)`
    select at, by, from_seq, to_seq, ok from log_verifications where org_id = ${org_id} and environment = ${environment}`);

/** Writes down who verified which part of a log, and whether it is intact. */
export const noteVerification = (
  db: Db,
  tenant: Tenant,
  { by, from_seq, to_seq, ok }: Omit<LastVerification, 'at'>,
  now: number,
): Promise<void> =>
  db.transaction(async tx => {
    await tx.query(sql.unsafe`
      insert into log_verifications (org_id, environment, at, by, from_seq, to_seq, ok)
      values (${tenant.org_id}, ${tenant.environment}, ${timestamp(now)}, ${by}, ${from_seq}, ${to_seq}, ${ok})
      on conflict (org_id, environment) do update
      set at = excluded.at, by = excluded.by, from_seq = excluded.from_seq, to_seq = excluded.to_seq, ok = excluded.ok`);
    await moveVersions(tx, tenant, ['log_checkpoints']);
  });
