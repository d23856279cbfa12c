import { readdirSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { type Db, sql } from '#shared/platform/db.ts';
import { MINUTE, SECOND } from '#shared/values/time.ts';

/**
 * Throws NotMigrated where the database has not the schema of this version, or has not given the service its rights yet. One that a newer version has
 * migrated will do: processes are replaced one by one.
 */
export async function needMigrated(db: Db): Promise<void> {
  // The queue's schema is the last that is made.
  const { is_there, has_queue } = await db.one(sql.type(Schema)`
    select coalesce(has_table_privilege(to_regclass('migrations'), 'select'), false) as is_there,
      exists (select from pg_namespace where nspname = 'bullmq' and has_schema_privilege(oid, 'usage')) as has_queue`);
  if (!is_there) throw new NotMigrated('has no schema yet that the service may use');
  const is_new = await db.exists(sql.unsafe`select from migrations where name >= ${newestMigration()}`);
  if (!is_new || !has_queue) throw new NotMigrated('is older than this version of the service');
}

const Schema = z.object({ is_there: z.boolean(), has_queue: z.boolean() });

/** The database is not ready for this version. */
export class NotMigrated extends Error {
  constructor(what: string, options?: ErrorOptions) {
    super(`The database ${what}: run \`npm run migrate\` (release).`, options);
  }
}

/** Opens what needs a migrated database. `release` is to run first; where it runs at the same time, it is waited for, which `say` hears. */
export async function onceMigrated<T>(
  open: () => Promise<T>,
  say: (line: string) => void,
  stopping: AbortSignal,
): Promise<T> {
  for (let left = MINUTE; ; left -= SECOND) {
    try {
      return await open();
    } catch (error) {
      if (!(error instanceof NotMigrated) || left <= 0) throw error;
      if (left === MINUTE) say(`${error.message} Waiting a minute for it.`);
      await pause(SECOND, undefined, { signal: stopping });
    }
  }
}

/** The folder of the migrations of this version. */
export const migrations = new URL('../../sql/migrations/', import.meta.url);

/** Their names, as they are recorded, in order. */
export const migrationNames = (): string[] =>
  readdirSync(migrations)
    .map(name => name.replace(/\.sql$/, ''))
    .toSorted();

/** The last of them. */
export const newestMigration = (): string => migrationNames().at(-1) ?? '';
