import { existsSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { copyDatabase } from '#bin/backup/copy.ts';
import { claimDataDir } from '#bin/data_dir_claim.ts';
import { emptyTables } from '#shared/backup/tables.ts';
import { openEmbeddedPostgres } from '#shared/embedded_postgres/open.ts';
import { conflict, invalidRequest } from '#shared/interface/errors.ts';
import { SERVICE_ROLE } from '#shared/platform/service_role.ts';
import { storageFolder } from '#shared/platform/storage/open_storage.ts';
import { type Database, openDatabase } from '#shared/running/open_database.ts';
import { type Config, readConfig } from '#shared/settings/config.ts';
import { migrate } from '#sql/migrate.ts';
import { type AdminCommand, need } from './command.ts';

export const move: AdminCommand[] = [
  {
    name: 'move',
    summary:
      'Copy everything in the database to another one that is empty, and verify every log there; the service must be stopped',
    options: [
      {
        flags: '--to <url>',
        about: 'postgres://user:password@host/database, or file:///a/data/folder for an embedded database',
        required: true,
      },
    ],
    async runAlone(options, _words, { settings }) {
      const url = need(options, 'to');
      const config = readConfig({ LOG_LEVEL: 'silent' }, settings);
      const source = await openDatabase(config);
      try {
        const release = source.embedded ? await claimDataDir(source.owner_url, config.data_dir, () => {}) : null;
        try {
          await needStopped(source.owner_url);
          await migrate(source.owner_url);
          return await moveTo(url, source, config);
        } finally {
          await release?.();
        }
      } finally {
        await source.embedded?.close();
      }
    },
  },
];

async function moveTo(url: string, source: Database, config: Config) {
  const target = await openTarget(url);
  try {
    await needEmpty(target.owner_url, await tablesOf(source.owner_url));
    await needStopped(target.owner_url);
    await migrate(target.owner_url);
    // Packs, exports and archives of the log lie beside an embedded database, unless STORAGE_URL says where. They come first: rows that name them
    // are never without them, and what was broken off can be done again.
    const folder = target.embedded && config.storage_url === undefined ? storageFolder(config) : null;
    if (folder !== null && existsSync(folder)) await cp(folder, join(fileURLToPath(url), 'files'), { recursive: true });
    const { rows, logs } = await copyDatabase(source.owner_url, target, config).catch(async (error: unknown) => {
      await emptyTables(target.owner_url);
      throw error;
    });
    return {
      ok: true,
      rows,
      logs,
      next: target.embedded
        ? 'Start the service without DATABASE_URL, with this folder as DATA_DIR and the same SECRET_KEY. What was there before is left as it is: do not start a service on it again.'
        : 'Start the service with this URL as DATABASE_URL, and the same SECRET_KEY and DATA_DIR. What was there before is left as it is: do not start a service on it again.',
    };
  } finally {
    await target.embedded?.close();
  }
}

async function openTarget(text: string): Promise<Database> {
  const url = URL.parse(text);
  if (url && /^postgres(ql)?:$/.test(url.protocol))
    return { owner_url: text, service_url: text, role: SERVICE_ROLE, embedded: undefined };
  if (url?.protocol === 'file:' && url.host === '') {
    const embedded = await openEmbeddedPostgres({ data_dir: fileURLToPath(url) });
    return { owner_url: embedded.owner_url, service_url: embedded.service_url, role: undefined, embedded };
  }
  throw invalidRequest('--to takes a URL that begins with postgres:// or file:///.');
}

/** A process that is there would write beside what is copied. It is asked for connections, and for who has said lately that it is there. */
async function needStopped(owner_url: string): Promise<void> {
  const present = await ask<{ name: string }>(
    owner_url,
    `select distinct application_name as name from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid() and application_name like 'oversight-%'
       and application_name not in ('oversight-claim', 'oversight-move')
     order by 1`,
  );
  if (present.length > 0)
    throw conflict(
      `The service runs on this database (${present.map(({ name }) => name.replace('oversight-', '')).join(', ')}): stop it first.`,
    );
}

/** Nothing is ever written over something: the target has no tables, or those of an installation that nothing has come to. */
async function needEmpty(owner_url: string, table_names: readonly string[]): Promise<void> {
  const tables = await tablesOf(owner_url);
  const isOurs = tables.includes('organizations') && tables.every(name => table_names.includes(name));
  const used = isOurs
    ? await ask(owner_url, 'select from organizations union all (select from users limit 1) limit 1')
    : tables;
  if (used.length > 0) throw conflict('The database to move to is not empty. Name one that is.');
}

async function tablesOf(owner_url: string): Promise<string[]> {
  const tables = await ask<{ name: string }>(
    owner_url,
    `select relname as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace`,
  );
  return tables.map(({ name }) => name);
}

async function ask<T extends pg.QueryResultRow>(owner_url: string, statement: string): Promise<T[]> {
  const client = new pg.Client({ connectionString: owner_url, application_name: 'oversight-move' });
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query<T>(statement)).rows;
  } finally {
    await client.end();
  }
}
