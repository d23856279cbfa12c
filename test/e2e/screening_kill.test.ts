import { once } from 'node:events';
import test from 'ava';
import { z } from 'zod';
import { sql } from '#shared/platform/db.ts';
import { entry } from '#test/helpers/lists.ts';
import { screening, shipping } from '#test/helpers/screening.ts';
import { startWorkers } from '#test/helpers/survive.ts';
import { until } from '#test/helpers/until.ts';

const PAYEES = 3_000;

test('screening that is killed again and again screens every payee once, and a changed list is held against each', async t => {
  t.timeout(120_000);
  const w = await screening(t);
  const start = () => startWorkers(w, ['screen', 'schedule']);
  let child = start();
  t.teardown(() => child.kill('SIGKILL'));
  const harm = async () => {
    child.kill('SIGKILL');
    await once(child, 'exit');
    child = start();
  };
  const count = (rows: ReturnType<typeof sql.fragment>) =>
    w.db.oneFirst(sql.type(z.object({ count: z.number() }))`select count(*)::int as count from ${rows}`);
  const waiting = async () =>
    (await count(sql.fragment`payee_screenings where due_at is not null`)) +
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
