import { z } from 'zod';
import { type Db, sql } from '#shared/platform/db.ts';
import { until } from './until.ts';

/** Waits until somebody in this database waits for a lock, as seen from within a transaction. */
export const untilSomebodyWaits = (tx: Db) =>
  until(async () => {
    // Within a transaction, who is connected is looked up once.
    await tx.query(sql.unsafe`select pg_stat_clear_snapshot()`);
    return tx.oneFirst(sql.type(z.object({ waiting: z.boolean() }))`
      select exists (select from pg_locks l join pg_stat_activity a using (pid) where not l.granted and a.datname = current_database()) as waiting`);
  });
