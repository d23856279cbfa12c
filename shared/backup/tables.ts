import pg from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** A table's name and copied columns. */
export type BackupTable = { name: string; columns: string[] };

/** Tables that are not copied: the migrations run, which record themselves, and the presence and speed of processes. */
const NOT_COPIED = ['migrations', 'worker_presence', 'work_samples'];

/** A database at one moment, and its state of migration. */
export type Snapshot = {
  client: pg.Client;
  tables: BackupTable[];
  /** The last migration that has run. */
  migration: string;
  /** The version of PostgreSQL. */
  postgres: string;
  close(): Promise<void>;
};

/**
 * Opens a snapshot of a database, unchanged until it is closed, whatever the service does meanwhile. With `alone` no one can write until
 * then. The tables come from the catalog, so that none can be forgotten.
 */
export async function openSnapshot(owner_url: string, { alone = false } = {}): Promise<Snapshot> {
  const client = await connect(owner_url);
  try {
    const tables = await listTables(client);
    await client.query(`begin isolation level repeatable read${alone ? '' : ' read only'}`);
    // A lock has to come before the snapshot, which begins with the first statement that reads.
    if (alone)
      await client.query(`
        set local lock_timeout to '10s'; lock table ${tables.map(({ name }) => pg.escapeIdentifier(name)).join(', ')} in share mode`);
    const { rows } = await client.query<{ migration: string; postgres: string }>(
      `select max(name) as migration, current_setting('server_version') as postgres from migrations`,
    );
    const { migration = '', postgres = '' } = rows[0] ?? {};
    return { client, tables, migration, postgres, close: () => client.end() };
  } catch (error) {
    await client.end();
    throw error;
  }
}

/** Whether a database has no tables, as where its first start was broken off before the first migration. */
export async function hasNoTables(owner_url: string): Promise<boolean> {
  const client = await connect(owner_url);
  try {
    return (await listTables(client)).length === 0;
  } finally {
    await client.end();
  }
}

/** The rows of a table in PostgreSQL's text format, as a stream; `count` is their number, at the end. */
export function readRows({ client }: Snapshot, table: BackupTable): { rows: Readable; count: () => number } {
  const rows = client.query(copyTo(`copy ${target(table)} to stdout`));
  return { rows, count: () => rows.rowCount };
}

/** Returns the rows of a table, with their columns in order; null if there are none. */
export type ReadTable = (name: string) => Promise<{ rows: Readable; columns: string[] } | null>;

/**
 * Replaces the rows of a migrated database by those of another, all or none. No trigger runs, since derived rows are copied, too. Returns
 * the number of rows of each table.
 */
export async function fillTables(owner_url: string, readTable: ReadTable): Promise<Map<string, number>> {
  const client = await connect(owner_url);
  try {
    await client.query('begin');
    const tables = await listTables(client);
    const names = tables.map(({ name }) => pg.escapeIdentifier(name));
    for (const name of names) await client.query(`alter table ${name} disable trigger user`);
    await client.query(`truncate ${names.join(', ')}`);
    const counts = new Map<string, number>();
    for (const { name } of tables) {
      const table = await readTable(name);
      if (!table) continue;
      const stream = client.query(copyFrom(`copy ${target({ name, columns: table.columns })} from stdin`));
      await pipeline(table.rows, stream);
      counts.set(name, stream.rowCount);
    }
    for (const name of names) await client.query(`alter table ${name} enable trigger user`);
    await moveSequences(client);
    // Clients of the former database must not take new data for known: versions continue at unused numbers.
    await client.query(`update versions set version = version + ${AHEAD}`);
    await client.query('commit');
    await client.query('analyze');
    return counts;
  } finally {
    await client.end();
  }
}

const AHEAD = 1_000_000;

/** Moves every sequence past the highest number of its column. */
async function moveSequences(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ sequence: string; table: string; column: string }>(`
    select d.objid::regclass::text as sequence, d.refobjid::regclass::text as table, quote_ident(a.attname) as column
    from pg_depend d
    join pg_class s on s.oid = d.objid and s.relkind = 'S' and s.relnamespace = 'public'::regnamespace
    join pg_attribute a on a.attrelid = d.refobjid and a.attnum = d.refobjsubid
    where d.classid = 'pg_class'::regclass and d.refclassid = 'pg_class'::regclass and d.deptype in ('a', 'i')`);
  for (const { sequence, table, column } of rows)
    await client.query(`select setval('${sequence}', coalesce((select max(${column}) from ${table}), 0) + 1, false)`);
}

/** Empties the filled tables. */
export async function emptyTables(owner_url: string): Promise<void> {
  await fillTables(owner_url, async () => null);
}

const target = ({ name, columns }: BackupTable) =>
  `${pg.escapeIdentifier(name)} (${columns.map(column => pg.escapeIdentifier(column)).join(', ')})`;

/** Values are written so that every server reads them unchanged, whatever its defaults. */
const session = `set datestyle to iso; set intervalstyle to postgres; set bytea_output to hex; set extra_float_digits to 1;
  set timezone to 'UTC'; set client_encoding to 'UTF8'; set statement_timeout to 0; set idle_in_transaction_session_timeout to 0`;

async function connect(owner_url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: owner_url, application_name: 'oversight-backup' });
  // A lost connection shows in the running statement.
  client.on('error', () => {});
  await client.connect();
  await client.query(session);
  return client;
}

/** Every table with its stored columns, referenced tables first. */
async function listTables(client: pg.Client): Promise<BackupTable[]> {
  const { rows } = await client.query<BackupTable & { refers_to: string[] }>(
    `
    select c.relname as name,
      array(select a.attname::text from pg_attribute a
        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '' order by a.attnum) as columns,
      array(select r.relname::text from pg_constraint k join pg_class r on r.oid = k.confrelid
        where k.conrelid = c.oid and k.contype = 'f' and r.oid <> c.oid) as refers_to
    from pg_class c
    where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace and c.relname <> all($1)
    order by c.relname`,
    [NOT_COPIED],
  );
  const sorted = new Map<string, BackupTable>();
  const add = ({ name, columns, refers_to }: BackupTable & { refers_to: string[] }): void => {
    if (sorted.has(name)) return;
    for (const row of rows) if (refers_to.includes(row.name)) add(row);
    sorted.set(name, { name, columns });
  };
  for (const row of rows) add(row);
  return [...sorted.values()];
}
