import test from 'ava';
import { z } from 'zod';
import { sql } from '#shared/platform/db.ts';
import { beginWithFictionalList } from '#shared/screening/store/begin_with_fictional.ts';
import { entry, load } from '#test/helpers/lists.ts';
import { world } from '#test/helpers/world.ts';

const List = z.object({ name: z.string(), version: z.number() });
const lists = sql.type(List)`select name, version from screening_lists order by name`;
const sandbox = { environment: 'sandbox', screening_lists: {} } as const;

test('processes that start at once on a fresh sandbox begin it with one list of made-up names', async t => {
  const { db } = await world(t, { own_database: true });
  const said: string[] = [];
  const begin = (config: Parameters<typeof beginWithFictionalList>[1]) =>
    beginWithFictionalList(db, config, Date.now(), line => said.push(line));
  await begin({ ...sandbox, environment: 'production' });
  t.deepEqual(await db.any(lists), []);
  await Promise.all([begin(sandbox), begin(sandbox), begin(sandbox)]);
  t.deepEqual(await db.any(lists), [{ name: 'fictional', version: 1 }]);
  t.true(said.length > 0);
  const before = said.length;
  await begin(sandbox);
  t.is(said.length, before);
});

test('a sandbox that has a list of its own does not begin with made-up names', async t => {
  const { db } = await world(t, { own_database: true });
  await load(db, [entry('1', 'Acme Shipping Ltd')], { name: 'own' });
  await beginWithFictionalList(db, sandbox, Date.now(), () => t.fail());
  t.deepEqual(await db.any(lists), [{ name: 'own', version: 1 }]);
});
