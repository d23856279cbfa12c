import test from 'ava';
import { testDatabase } from '#test/helpers/database.ts';
import { queryAt } from '#test/helpers/embedded_postgres.ts';
import { run } from '#test/helpers/process.ts';
import { until } from '#test/helpers/until.ts';

test('while the database is away the schedule says so once, and once that it is back', async t => {
  const { owner_url } = await testDatabase(end => t.teardown(end));
  const { pathname } = new URL(owner_url);
  const admin_url = Object.assign(new URL(owner_url), { pathname: '/postgres' }).href;
  const name = pathname.slice(1);
  const open = (may_connect: boolean) =>
    queryAt(admin_url, `alter database ${name} with allow_connections ${may_connect}`);
  const SECRET_KEY = Buffer.alloc(32).toString('base64');
  const schedule = run(t, 'workers/main.ts', ['schedule'], { DATABASE_URL: owner_url, SECRET_KEY, LOG_LEVEL: 'debug' });
  await until(async () => (await queryAt(owner_url, `select from worker_presence where type = 'schedule'`)).length > 0);
  await open(false);
  await queryAt(admin_url, `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`);
  await until(() => schedule.output().split('"kind":"webhook","msg":"reconcile failed; it is tried again"').length > 3);
  await open(true);
  await schedule.says(/can be used again/);
  const lines = schedule.output().trim().split('\n');
  const told = lines.map(line => JSON.parse(line)).filter(({ level }) => level >= 30);
  t.deepEqual(
    told.map(({ level, msg, error }) => [level, msg, error]),
    [
      [
        40,
        `The database (DATABASE_URL) cannot be used: database "${name}" is not currently accepting connections`,
        undefined,
      ],
      [30, 'The database (DATABASE_URL) can be used again', undefined],
    ],
  );
});
