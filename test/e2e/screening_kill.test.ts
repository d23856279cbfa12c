import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import test from 'ava';
import { z } from 'zod';
import { sql } from '#shared/platform/db.ts';
import { entry } from '#test/helpers/lists.ts';
import { type ScreeningWorld, screening, shipping } from '#test/helpers/screening.ts';
import { until } from '#test/helpers/until.ts';

const PAYEES = 3_000;

/** Starts screening and the schedule in one process, as a child that can be killed. */
const startChild = (w: ScreeningWorld): ChildProcess =>
  spawn('node', ['workers/main.ts', 'screen', 'schedule'], {
    stdio: 'ignore',
    env: {
      ...process.env,
      DATABASE_URL: w.database.service_url,
      SECRET_KEY: w.config.secret_key[0].toString('base64'),
      DATABASE_POOL: '6',
      LOG_LEVEL: 'silent',
    },
  });

test('screening that is killed again and again screens every payee once, and a changed list is held against each', async t => {
  t.timeout(120_000);
  const w = await screening(t);
  let child = startChild(w);
  t.teardown(() => child.kill('SIGKILL'));
  const harm = async () => {
    child.kill('SIGKILL');
    await once(child, 'exit');
    child = startChild(w);
  };
  const count = (rows: ReturnType<typeof sql.fragment>) =>
    w.db.oneFirst(sql.type(z.object({ count: z.number() }))`select count(*)::int as count from ${rows}`);
  const waiting = async () =>
    (await count(sql.fragment`payees where screening_due_at is not null`)) +
    (await count(sql.fragment`screening_rescreens`));

  await w.load([shipping]);
  await w.addPayees(
    Array.from({ length: PAYEES }, (_, index) =>
      index % 1_000 === 0 ? shipping.name : index % 1_000 === 500 ? 'Tidewater Brokers' : `Shop ${index}`,
    ),
  );
  await until(async () => (await count(sql.fragment`screenings`)) > 0);
  await harm();
  await until(async () => (await waiting()) === 0);
  t.is(await count(sql.fragment`screenings`), PAYEES);

  await w.load([shipping, entry('78', 'Tidewater Brokers')]);
  await harm();
  await w.load([shipping, entry('78', 'Tidewater Brokers'), entry('79', 'Nobody')]);
  await until(async () => (await waiting()) === 0);
  t.is(await count(sql.fragment`screenings where state = 'potential_match'`), 6);
  t.is(await count(sql.fragment`screenings`), PAYEES + 3);
  t.is((await w.told()).length, 6);
});
