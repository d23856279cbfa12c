import { isDeepStrictEqual } from 'node:util';
import test from 'ava';
import { adminOf } from '#test/helpers/admin.ts';
import { testDatabase } from '#test/helpers/database.ts';
import { queryAt, until } from '#test/helpers/embedded_postgres.ts';

// What reads a file comes and goes.
const resources = () => process.getActiveResourcesInfo().filter(name => !name.startsWith('FSReq'));
const listeners = () => process.eventNames().map(name => [name, process.listenerCount(name)]);

test('a command leaves nothing open and nothing set in the process that runs it', async t => {
  const { owner_url } = await testDatabase(end => t.teardown(end));
  const admin = adminOf(t, { DATABASE_URL: owner_url, SECRET_KEY: Buffer.alloc(32).toString('base64') });
  const idle = resources();
  // What libraries listen to once, they listen to for good.
  await admin.json('org', 'list');
  const heard = listeners();
  await admin.json('queues', 'status');
  await admin.json('queues', 'retry-failed');
  await admin.error('key', 'list', '--org', 'Nobody');
  await admin.error('org', 'make');
  t.deepEqual(listeners(), heard);
  t.is(process.exitCode, undefined);
  const others = 'select from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()';
  await until(async () => (await queryAt(owner_url, others)).length === 0);
  await until(async () => isDeepStrictEqual(resources(), idle));
});
