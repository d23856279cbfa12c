import test, { type ExecutionContext } from 'ava';
import { createLoadedLists } from '#shared/screening/flow/loaded_lists.ts';
import { sql } from '#shared/platform/db.ts';
import { removeList } from '#shared/screening/store/list_removal.ts';
import { until } from '#test/helpers/until.ts';
import { entry, load } from '#test/helpers/lists.ts';
import { world } from '#test/helpers/world.ts';

/** The lists of a process, with what it says of them in its log. */
async function process(t: ExecutionContext) {
  const { db, tenant, organization, services } = await world(t, { own_database: true });
  const said: { text: string; list: string; version: number }[] = [];
  const note = (fields: { list: string; version: number }, text: string) => void said.push({ ...fields, text });
  const log = { ...services.log, info: note, error: note, warn: note } as unknown as typeof services.log;
  const lists = createLoadedLists({ db, log });
  t.teardown(lists.close);
  return { db, log, lists, said, org_id: tenant.org_id, organization };
}

const many = (count: number, name: string) =>
  Array.from({ length: count }, (_, index) => entry(String(index), `${name} ${index}`));

const versions = (list: { name: string; version: number; index: { entry_count: number } }[]) =>
  list.map(({ name, version, index }) => `${name} ${version}: ${index.entry_count}`);

test('an organization has the lists of everybody and its own, ready in their newest versions', async t => {
  const { db, lists, org_id, organization } = await process(t);
  t.deepEqual(await lists.newest(org_id), []);
  await load(db, many(10, 'Fictional'));
  await load(db, many(2, 'Own'), { name: 'own', org_id });
  t.deepEqual(versions(await lists.newest(org_id)), ['fictional 1: 10', 'own 1: 2']);
  t.deepEqual(versions(await lists.newest((await organization('Rival')).id)), ['fictional 1: 10']);
  await load(db, many(11, 'Fictional'));
  t.deepEqual(versions(await lists.newest(org_id)), ['fictional 2: 11', 'own 1: 2']);
});

test('a list is made ready once, however many ask at once', async t => {
  const { db, lists, org_id, said } = await process(t);
  await load(db, many(3_000, 'Fictional'));
  await Promise.all(
    Array.from({ length: 20 }, (_, index) => (index % 2 ? lists.newest(org_id) : lists.current(org_id))),
  );
  t.deepEqual(
    said.map(({ text, version }) => `${text} ${version}`),
    ['list ready 1'],
  );
});

test('while a newer version is made ready, searches go on with the one before', async t => {
  const { db, lists, org_id, said } = await process(t);
  await load(db, many(1_000, 'Fictional'));
  await lists.newest(org_id);
  await load(db, many(15_000, 'Fictional'));
  const before = await lists.current(org_id);
  t.deepEqual(versions(before), ['fictional 1: 1000']);
  await until(async () => said.length === 2);
  t.deepEqual(versions(await lists.current(org_id)), ['fictional 2: 15000']);
});

test('a list that cannot be made ready leaves the version before in use, and is not tried over and over', async t => {
  const { db, lists, org_id, said } = await process(t);
  await load(db, many(10, 'Fictional'));
  await lists.newest(org_id);
  await load(db, many(11, 'Fictional'));
  await db.query(sql.unsafe`update screening_list_entries set entry = 'no JSON' where entry_id = '10'`);
  for (let time = 0; time < 3; time += 1) {
    t.deepEqual(versions(await lists.current(org_id)), ['fictional 1: 10']);
    await t.throwsAsync(lists.newest(org_id), { any: true });
  }
  t.deepEqual(
    said.map(({ text }) => text),
    ['list ready', 'list not made ready'],
  );
});

test('a list that is removed while it is made ready is left out, and no fault', async t => {
  const { db, log, said, org_id } = await process(t);
  await load(db, many(10, 'Fictional'));
  for (const ask of ['newest', 'current'] as const) {
    await load(db, many(2, 'Own'), { name: 'own', org_id });
    let asked = 0;
    const any = async (query: Parameters<typeof db.any>[0]) => {
      const rows = await db.any(query);
      // The first answer names both.
      if ((asked += 1) === 1) await db.transaction(tx => removeList(tx, { org_id, name: 'own' }, Date.now()));
      return rows;
    };
    const lists = createLoadedLists({ db: { ...db, any: any as typeof db.any }, log });
    t.deepEqual(versions(await lists[ask](org_id)), ['fictional 1: 10'], ask);
  }
  t.false(said.some(({ text }) => text === 'list not made ready'));
});

test('lists of everybody are made ready as they come, before somebody asks', async t => {
  const { db, lists, said } = await process(t);
  await load(db, many(10, 'Fictional'));
  lists.watch();
  await until(async () => said.some(({ list, text }) => list === 'fictional' && text === 'list ready'));
  t.pass();
});
