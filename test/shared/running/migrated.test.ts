import test, { type ExecutionContext } from 'ava';
import { NotMigrated, newestMigration } from '#shared/running/migrated.ts';
import { createServices } from '#shared/running/services.ts';
import { readConfig } from '#shared/settings/config.ts';
import { migrate } from '#sql/migrate.ts';
import { testDatabase } from '#test/helpers/database.ts';
import { queryAt } from '#test/helpers/embedded_postgres.ts';
import { addressOf, run } from '#test/helpers/process.ts';

const SECRET_KEY = Buffer.alloc(32).toString('base64');
const config = readConfig({ SECRET_KEY, LOG_LEVEL: 'silent' });
const databaseOf = (t: ExecutionContext, template?: string) => testDatabase(end => t.teardown(end), template);

test('a process that starts before the database is migrated says so, waits, and then works', async t => {
  const { owner_url } = await databaseOf(t, 'template1');
  const settings = { DATABASE_URL: owner_url, SECRET_KEY, PORT: '0' };
  const web = run(t, 'api/main.ts', [], settings);
  const detect = run(t, 'workers/main.ts', ['detect'], settings);
  for (const child of [web, detect]) {
    await child.says(/The database has no schema yet .*: run `npm run migrate` \(release\)\. Waiting a minute/);
    t.notRegex(child.output(), /listening|workers started/);
  }
  await migrate(owner_url);
  t.is((await fetch(`${await addressOf(web)}/readyz`)).status, 200);
  await detect.says(/workers started/);
});

test('a process refuses a database of an earlier version and takes one of a later', async t => {
  const database = await databaseOf(t);
  const later = `insert into migrations (name, run_on) values ('9999_of_a_later_version', now())`;
  await queryAt(database.owner_url, `delete from migrations where name = '${newestMigration()}'`);
  const error = await t.throwsAsync(createServices(config, database, 'test'));
  t.is(error?.message, 'The database is older than this version of the service: run `npm run migrate` (release).');
  await queryAt(database.owner_url, later);
  const { close } = await createServices(config, database, 'test');
  await close();
});

test('so it does where the server has no role of the service, or the queue no schema', async t => {
  const database = await databaseOf(t);
  const start = (role?: string) =>
    createServices(config, { ...database, service_url: database.owner_url, role }, 'test');
  const error = await t.throwsAsync(start('nobody_made_it'));
  t.is(error?.message, 'The database has no role oversight_service yet: run `npm run migrate` (release).');
  await queryAt(database.owner_url, 'drop schema bullmq cascade');
  t.true((await t.throwsAsync(start('oversight_service'))) instanceof NotMigrated);
});
