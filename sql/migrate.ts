import { setTimeout } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import pg, { type Client } from 'pg';
import { readConfig } from '#shared/settings/config.ts';
import { helpText } from '#shared/settings/describe_settings.ts';
import { counted } from '#shared/packs/report/words.ts';
import { createPool, type Db } from '#shared/platform/db.ts';
import { connecting } from '#shared/platform/unreachable.ts';
import { SERVICE_ROLE } from '#shared/platform/service_role.ts';
import { asError } from '#shared/interface/errors.ts';
import { errorCode } from '#shared/values/file_trouble.ts';
import { checkSecretKey } from '#shared/running/secret_key/canary.ts';
import { migrationNames, migrations, newestMigration } from '#shared/running/migrated.ts';
import { openDatabase } from '#shared/running/open_database.ts';
import { beginWithFictionalList } from '#shared/screening/store/begin_with_fictional.ts';
import { distribute, type DistributeOptions, isDistributed } from './distribute.ts';
import { fillBlocks } from './fill_blocks.ts';
import { ensureRole, mendGrants } from './grants.ts';
import { planTenants } from './plan_tenants.ts';
import { readFile } from 'node:fs/promises';

/**
 * Brings the database to the newest schema: the files of `migrations/` in order, forward only, then the queue's own tables.
 * Several processes may call it at once; they wait for each other. Returns the names of the migrations that ran.
 */
export async function migrate(owner_url: string): Promise<string[]> {
  return withLock(owner_url, async client => {
    await ensureRole(client);
    const ran = await runMigrations(client);
    await mendGrants(client, newestMigration());
    await buildIndexes(client);
    await fillBlocks(client);
    await planTenants(client);
    if (await isDistributed(client)) await distribute(client);
    // Loaded here: the operator's tool lists its commands without.
    await (await import('bullmq')).runMigrations(client);
    // BullMQ makes a sequence a queue at its first job. The schema holds the schedule, nothing that has to be kept.
    await client.query(`
      grant usage, create on schema bullmq to ${SERVICE_ROLE};
      grant select, insert, update, delete on all tables in schema bullmq to ${SERVICE_ROLE};
      grant usage, select, update on all sequences in schema bullmq to ${SERVICE_ROLE};
      grant execute on all functions in schema bullmq to ${SERVICE_ROLE};`);
    return ran;
  });
}

/** What is said of migrations that ran where people did not ask for them. */
export const preparedText = (ran: readonly string[]): string =>
  `Database prepared (${counted(ran.length, 'migration')}, up to ${ran.at(-1)}).`;

/** Spreads the tables over the nodes of a cluster (see `distribute`). What is spread stays so, and later migrations keep to it. */
export const migrateDistributed = (owner_url: string, options: DistributeOptions = {}): Promise<string[]> =>
  withLock(owner_url, client => distribute(client, options));

/**
 * Runs the migrations up to this one in a database that has none yet: for rows that were backed up then, before `migrate` takes them to the
 * newest schema.
 */
export const migrateUpTo = (owner_url: string, last: string): Promise<string[]> =>
  withLock(owner_url, async client => {
    await ensureRole(client);
    return runMigrations(client, migrationNames().filter(name => name <= last).length);
  });

/** The files of `migrations/` in order, at most so many of those that have not run. Returns their names. */
async function runMigrations(client: pg.Client, count = Infinity): Promise<string[]> {
  const { runner } = await import('node-pg-migrate');
  const ran = await runner({
    dbClient: client,
    dir: `${fileURLToPath(migrations)}*.sql`,
    useGlob: true,
    direction: 'up',
    count,
    migrationsTable: 'migrations',
    singleTransaction: false,
    noLock: true,
    log: () => {},
  });
  return ran.map(({ name }) => name);
}

async function withLock<T>(owner_url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: owner_url, application_name: 'oversight-migrate' });
  await connecting(client.connect());
  try {
    await lock(client);
    return await work(client);
  } catch (error) {
    throw await withHint(client, asError(error));
  } finally {
    await client.end();
  }
}

/** What failed, with who may migrate where it failed for want of rights. */
async function withHint(client: pg.Client, error: Error): Promise<Error> {
  const asked = client.query<{ role: string; owner: string; is_owner: boolean }>(`
    select current_user as role, pg_get_userbyid(datdba) as owner, pg_has_role(datdba, 'usage') as is_owner
    from pg_database where datname = current_database()`);
  const [who] = await asked.then(
    ({ rows }) => rows,
    () => [],
  );
  if (!who || (who.is_owner && errorCode(error) !== FORBIDDEN)) return error;
  const [what] = error.message.split('\n');
  return new Error(
    `${what}. The role ${who.role} may not migrate this database: run it with the URL of the owner (${who.owner}), who may create roles or has ${SERVICE_ROLE} granted.`,
    { cause: error },
  );
}

const FORBIDDEN = '42501';

/**
 * Takes a session lock, held to the end: concurrent grants on the same object fail. Asks for it again and again, since a statement that
 * waits would hold up an index that is built concurrently, which waits for all statements that began before it.
 */
async function lock(client: pg.Client): Promise<void> {
  for (;;) {
    const { rows } = await client.query<{ is_mine: boolean }>('select pg_try_advisory_lock(hashtext($1)) as is_mine', [
      'oversight-migrate',
    ]);
    if (rows[0]?.is_mine) return;
    await setTimeout(LOCK_POLL);
  }
}

const LOCK_POLL = 100;

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const words = process.argv.slice(2);
  const usage = `Usage: npm run migrate                      Brings the database to the newest schema.
       npm run migrate -- --distributed     The same, and spreads its tables over the nodes of a cluster.`;
  if (words.includes('--help')) {
    process.stdout.write(helpText(usage));
    process.exit(0);
  }
  const unknown = words.find(word => word !== '--distributed');
  if (unknown !== undefined) {
    process.stderr.write(`There is no argument ${unknown}.\n${usage}\n`);
    process.exit(2);
  }
  try {
    const say = (line: string) => void process.stdout.write(`${line}\n`);
    const config = readConfig();
    const database = await openDatabase(config, say);
    try {
      const ran = await migrate(database.owner_url);
      say(ran.length > 0 ? `Ran ${ran.join(', ')}.` : 'The database is up to date.');
      if (words.includes('--distributed')) {
        const spread = await migrateDistributed(database.owner_url);
        say(
          spread.length > 0
            ? `Spread ${spread.length} tables over the nodes.`
            : 'The tables are spread over the nodes.',
        );
      }
      const vet = async (connection: Db) => void (await checkSecretKey(connection, config.secret_key));
      const session = { role: database.role, application_name: 'oversight-migrate', max: 1, vet };
      const db = await createPool(database.service_url, session);
      await beginWithFictionalList(db, config, Date.now(), say).finally(() => db.end());
    } finally {
      await database.embedded?.close();
    }
  } catch (thrown) {
    process.stderr.write(`${asError(thrown).message}\n`);
    process.exit(1);
  }
}

/**
 * Brings the indexes of long tables up to `indexes.sql`, while others read and write: PostgreSQL builds and drops an index so outside of
 * transactions alone, which is why this is no migration. An index whose building was interrupted is invalid, and is built anew. Beside
 * processes that may not know of what was built now, nothing is dropped. Where nothing is to be done, nothing is locked.
 */
async function buildIndexes(client: Client): Promise<void> {
  const { rows } = await client.query<{ name: string; is_valid: boolean }>(`
    select c.relname as name, i.indisvalid as is_valid
    from pg_index i join pg_class c on c.oid = i.indexrelid
    where c.relnamespace = current_schema()::regnamespace`);
  const isThere = new Map(rows.map(({ name, is_valid }) => [name, is_valid]));
  const text = await readFile(new URL('./indexes.sql', import.meta.url), 'utf8');
  const statements = [...text.matchAll(/^(create|drop) index concurrently (\w+)[^;]*;/gm)];
  const missing = statements.filter(([, verb, name = '']) => verb === 'create' && isThere.get(name) !== true);
  const useless = statements.filter(([, verb, name = '']) => verb === 'drop' && isThere.has(name));
  for (const [statement, , name = ''] of missing) {
    if (isThere.has(name)) await client.query(`drop index concurrently ${name}`);
    await client.query(statement);
  }
  const { rows: events } = await client.query('select from events limit 1');
  const isUsed = events.length > 0;
  // Of what an index computes nothing is known before the next analysis.
  if (missing.length > 0 && isUsed) await client.query('analyze events, alert_events');
  if (missing.length === 0 || !isUsed) for (const [statement] of useless) await client.query(statement);
}
