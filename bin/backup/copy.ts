import { addAbortSignal } from 'node:stream';
import { conflict } from '#shared/interface/errors.ts';
import { listLogs } from '#shared/backup/create.ts';
import { fillTables, hasNoTables, openSnapshot, readRows } from '#shared/backup/tables.ts';
import type { VerifiedLog } from '#shared/backup/verify.ts';
import type { Config } from '#shared/settings/config.ts';
import { migrate, migrateUpTo } from '#sql/migrate.ts';
import { verifyCopied } from './restore.ts';

type Target = { owner_url: string; service_url: string; role?: string | undefined };

type Options = {
  /** Hears what is being done. */
  say?: (line: string) => void;
  stopping?: AbortSignal | undefined;
  /** Called when all is well, while nobody can write to the source yet. */
  settle?: () => Promise<void>;
};

/**
 * Copies all rows of a database to an empty one while nobody can write, brings them to the newest schema there, and verifies the logs. The source
 * stays as it is. Throws `conflict` where a log is not what was signed.
 */
export async function copyDatabase(
  source_url: string,
  target: Target,
  config: Config,
  { say = () => {}, stopping, settle = async () => {} }: Options = {},
): Promise<{ rows: number; logs: VerifiedLog[] }> {
  if (await hasNoTables(source_url)) {
    await migrate(target.owner_url);
    await settle();
    return { rows: 0, logs: [] };
  }
  const snapshot = await openSnapshot(source_url, { alone: true });
  try {
    await migrateUpTo(target.owner_url, snapshot.migration);
    const { rows: long_tables } = await snapshot.client.query<{ name: string; rows: number }>(
      `select relname as name, reltuples as rows from pg_class where relkind = 'r' and reltuples >= ${LONG}`,
    );
    const counts = await fillTables(target.owner_url, async name => {
      const table = snapshot.tables.find(each => each.name === name);
      if (!table) return null;
      const long = long_tables.find(each => each.name === name);
      if (long) say(`copying ${name}, about ${long.rows} rows`);
      const { rows } = readRows(snapshot, table);
      return { rows: stopping ? addAbortSignal(stopping, rows) : rows, columns: table.columns };
    });
    await migrate(target.owner_url);
    const stored_logs = await listLogs(snapshot.client);
    for (const { org_id, environment, size } of stored_logs)
      say(`verifying the log of ${org_id} (${environment}), ${size} events`);
    const witness = config.checkpoint_witness?.file;
    const logs = await verifyCopied(target.service_url, stored_logs, { keys: config, witness, role: target.role });
    const bad = logs.find(({ ok }) => !ok);
    if (bad) throw conflict(`The log of ${bad.org_id} is not what was signed, so nothing was changed: ${bad.reason}`);
    stopping?.throwIfAborted();
    await settle();
    return { rows: [...counts.values()].reduce((sum, count) => sum + count, 0), logs };
  } finally {
    await snapshot.close();
  }
}

/** So many rows take so long that it is said. */
const LONG = 100_000;
