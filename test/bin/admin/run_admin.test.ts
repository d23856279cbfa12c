import test from 'ava';
import { testDatabase } from '#test/helpers/database.ts';
import { queryAt } from '#test/helpers/embedded_postgres.ts';
import { until } from '#test/helpers/until.ts';
import { run } from '#test/helpers/process.ts';

test('a command leaves nothing open and nothing set in the process that runs it', async t => {
  const { owner_url } = await testDatabase(end => t.teardown(end));
  const secret_key = Buffer.alloc(32).toString('base64');
  const { stdout, stderr } = await run(t, 'test/helpers/admin_runner.ts', [owner_url, secret_key]).ended;
  t.deepEqual(JSON.parse(stdout || '{}'), { codes: [0, 0, 0, 1, 2], exit_code: null, listeners: true }, stderr);
  // A coordinator of Citus has connections of its own.
  const others = `select from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
    and backend_type = 'client backend' and application_name not like 'citus%'`;
  await until(async () => (await queryAt(owner_url, others)).length === 0);
});
