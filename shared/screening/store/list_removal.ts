import { z } from 'zod';
import { type Db, sql } from '#shared/platform/db.ts';
import { notFound } from '#shared/interface/errors.ts';
import { requestRescreens } from './rescreens.ts';
import type { ListRef } from './screening_entries.ts';
import { timestamp } from '#shared/values/time.ts';

const Removed = z.object({ version: z.number(), entries: z.number(), format: z.string() });

/** A list that was removed: its last version, without entries, and how many it had. */
export type RemovedList = { name: string; version: number; removed: number };

/**
 * Removes a list in the caller's transaction: a version without entries, and work for every log that the list applies to, as if the list
 * had shrunk to nothing. Its versions and matches stay on record; if loaded again, its versions continue. Throws `not_found`.
 */
export async function removeList(tx: Db, { org_id, name }: ListRef, now: number): Promise<RemovedList> {
  const here = sql.fragment`org_id = ${org_id} and name = ${name}`;
  const list = await tx.maybeOne(sql.type(Removed)`
    select version, entries, format from screening_lists where ${here} and removed_at is null for update`);
  if (!list) throw notFound(`list: ${name}`);
  const version = list.version + 1;
  const entries = sql.fragment`org_id = ${org_id} and list = ${name} and not removed`;
  // A payee that it exempted may match another list now.
  const frees = await tx.exists(sql.unsafe`select from screening_list_entries where ${entries} and action = 'allow'`);
  await tx.query(
    sql.unsafe`update screening_list_entries set removed = true, changed_in = ${version} where ${entries}`,
  );
  // Without the digest of its files, a later load is not taken for unchanged.
  await tx.query(sql.unsafe`
    update screening_lists set version = ${version}, entries = 0, sha256 = '', removed_at = ${timestamp(now)} where ${here}`);
  await tx.query(sql.unsafe`
    insert into screening_list_versions (org_id, name, version, format, sha256, entries, added, removed, changed, skipped, loaded_at,
      loaded_by)
    values (${org_id}, ${name}, ${version}, ${list.format}, '', 0, 0, ${list.entries}, 0, 0, ${timestamp(now)}, 'operator')`);
  await requestRescreens(
    tx,
    { org_id, name },
    { from_version: list.version, to_version: version, in_full: frees },
    now,
  );
  return { name, version, removed: list.entries };
}

/** Whether a list was removed and not loaded again. */
export const isRemoved = (db: Db, { org_id, name }: ListRef): Promise<boolean> =>
  db.exists(sql.unsafe`
    select from screening_lists where org_id = ${org_id} and name = ${name} and removed_at is not null`);
