import test, { type ExecutionContext } from 'ava';
import { z } from 'zod';
import { createPool, type Pool, sql } from '#shared/platform/db.ts';
import { Problem } from '#shared/interface/errors.ts';
import { startAccount } from '#shared/screening/account.ts';
import { ListError } from '#shared/screening/lists/list_error.ts';
import { loadList } from '#shared/screening/store/list_load.ts';
import { claimListFetches, noteFetched, noteNotFetched, readSource } from '#shared/screening/store/list_sources.ts';
import { EVERYBODY, listsOf } from '#shared/screening/store/screening_lists.ts';
import { DAY, HOUR, MINUTE } from '#shared/values/time.ts';
import { entry, load, walletKey } from '#test/helpers/lists.ts';
import { world } from '#test/helpers/world.ts';

const entries = (count: number, from = 0) =>
  Array.from({ length: count }, (_, index) => entry(`e${from + index}`, `Fictional number ${from + index}`));

const Stored = z.object({ entry_id: z.string(), changed_in: z.number(), removed: z.boolean() });
const stored = (db: Pool) =>
  db.any(sql.type(Stored)`select entry_id, changed_in, removed from screening_list_entries order by entry_id`);

/** What was refused, and that the list is as it was. */
async function isRefused(t: ExecutionContext, db: Pool, act: () => Promise<unknown>, code: string) {
  const before = [await listsOf(db, EVERYBODY), await stored(db)];
  const error = await t.throwsAsync(act, { instanceOf: Problem });
  t.is(error?.details?.[0]?.code ?? error?.code, code);
  t.deepEqual([await listsOf(db, EVERYBODY), await stored(db)], before);
  t.is(
    await db.oneFirst(sql.type(z.object({ n: z.number() }))`select count(*)::int as n from screening_list_staging`),
    0,
  );
}

test('each load is a version that says what it added, removed and changed', async t => {
  const { db } = await world(t, { own_database: true });
  t.like(await load(db, entries(10)), {
    name: 'fictional',
    version: 1,
    entries: 10,
    added: 10,
    removed: 0,
    changed: 0,
  });
  const next = [...entries(8, 1), { ...entry('e9', 'Called otherwise') }, entry('new', 'New')];
  const loaded = await load(db, next);
  t.like(loaded, { version: 2, entries: 10, added: 1, removed: 1, changed: 1 });
  t.regex(loaded.sha256, /^[0-9a-f]{64}$/);
  const changed = (await stored(db)).filter(row => row.changed_in === 2);
  t.deepEqual(
    changed.map(({ entry_id, removed }) => [entry_id, removed]),
    [
      ['e0', true],
      ['e9', false],
      ['new', false],
    ],
  );
  t.like(await load(db, [...next, entry('e0', 'Fictional number 0')]), {
    version: 3,
    added: 1,
    removed: 0,
    changed: 0,
  });
});

test('each statement of a long list that is loaded again is short', async t => {
  const { database } = await world(t, { own_database: true });
  const db = await createPool(database.service_url, { max: 1, application_name: 'test', statement_timeout: 3_000 });
  t.teardown(() => db.end());
  await load(db, entries(20_000));
  const loaded = await load(db, entries(19_000, 2_000));
  t.like(loaded, { version: 2, entries: 19_000, added: 1_000, removed: 2_000, changed: 0 });
});

test('the same file again is the same version, and fresh once more', async t => {
  const { db } = await world(t, { own_database: true });
  const now = Date.now();
  await load(db, entries(10), { now: now - 8 * DAY });
  t.like(await load(db, entries(10), { now }), { version: 1, entries: 10, added: 0, removed: 0, changed: 0 });
  const [list] = await listsOf(db, EVERYBODY);
  t.is(list?.loaded_at, new Date(now).toISOString());
  t.is((await stored(db)).length, 10);
});

test('an empty list, and one that lost more than a fifth, are refused; an operator may insist on the second', async t => {
  const { db } = await world(t, { own_database: true });
  await isRefused(t, db, () => load(db, []), 'empty_list');
  await load(db, entries(10));
  await isRefused(t, db, () => load(db, [], { insist: true }), 'empty_list');
  await isRefused(t, db, () => load(db, entries(7)), 'shrunken_list');
  t.like(await load(db, entries(8)), { version: 2, entries: 8, removed: 2 });
  t.like(await load(db, entries(3), { insist: true }), { version: 3, entries: 3, removed: 5 });
});

test('a list that lost its aliases or its wallets, and no entry, is refused', async t => {
  const { db } = await world(t, { own_database: true });
  const named = entries(120).map(entry => ({ ...entry, aliases: [{ name: `Also ${entry.name}`, weak: false }] }));
  await load(db, named);
  await isRefused(t, db, () => load(db, entries(120)), 'shrunken_list');
  t.like(
    await load(
      db,
      named.map((entry, at) => (at < 20 ? { ...entry, aliases: [] } : entry)),
    ),
    { version: 2, changed: 20 },
  );
  const owning = named.map((entry, at) => ({ ...entry, keys: [walletKey(`0x${String(at).padStart(40, '0')}`)] }));
  await load(db, owning);
  const less = owning.map((entry, at) => (at < 30 ? { ...entry, keys: [] } : entry));
  const { message } = await t.throwsAsync(() => load(db, less), { instanceOf: Problem });
  t.true(message.startsWith('The list fictional has 90 wallets and had 120: it looks damaged.'), message);
  t.like(await load(db, less, { insist: true }), { version: 4, changed: 30 });
});

test('another format under a known name is refused unless the operator insists', async t => {
  const { db } = await world(t, { own_database: true });
  await load(db, entries(10));
  await isRefused(t, db, () => load(db, entries(10), { format: 'un-xml' }), 'conflict');
  await load(db, entries(10, 5), { format: 'un-xml', insist: true });
  t.like((await listsOf(db, EVERYBODY))[0], { format: 'un-xml', version: 2 });
});

test('an organization’s list cannot be called as one of everybody, nor the other way round', async t => {
  const { db, tenant } = await world(t, { own_database: true });
  await load(db, entries(2), { name: 'shared' });
  await load(db, entries(2), { name: 'own', org_id: tenant.org_id });
  await isRefused(t, db, () => load(db, entries(2), { name: 'shared', org_id: tenant.org_id }), 'conflict');
  await isRefused(t, db, () => load(db, entries(2), { name: 'own' }), 'conflict');
});

test('a list whose file is damaged at its end changes nothing', async t => {
  const { db } = await world(t, { own_database: true });
  await load(db, entries(10));
  async function* damaged() {
    yield* entries(2_500, 20);
    throw new ListError('sdn.csv', 2_501, 'half a line');
  }
  const summary = () => ({ sha256: '', skipped: 0, account: startAccount().total() });
  const list = {
    org_id: EVERYBODY,
    name: 'fictional',
    format: 'csv',
    insist: false,
    loaded_by: 'operator' as const,
    environment: null,
  };
  const before = [await listsOf(db, EVERYBODY), await stored(db)];
  await t.throwsAsync(loadList(db, { ...list, entries: damaged(), summary }, Date.now()), { instanceOf: ListError });
  t.deepEqual([await listsOf(db, EVERYBODY), await stored(db)], before);
});

test('two loads of a list at once wait for each other, the first one of all too', async t => {
  const { db } = await world(t, { own_database: true });
  const loaded = await Promise.all([load(db, entries(900)), load(db, entries(1_000)), load(db, entries(1_100))]);
  t.deepEqual(loaded.map(({ version }) => version).toSorted(), [1, 2, 3]);
  const last = loaded.find(({ version }) => version === 3);
  const [list] = await listsOf(db, EVERYBODY);
  t.deepEqual([list?.version, list?.sha256, list?.entries], [3, last?.sha256, last?.entries]);
  const inUse = (await stored(db)).filter(({ removed }) => !removed);
  t.is(inUse.length, last?.entries ?? 0);
});

test('of several processes that ask which lists to fetch, one gets each, again when it is time or the lease is over', async t => {
  const { db } = await world(t, { own_database: true });
  const now = Date.now();
  const claim = (at = now) => claimListFetches(db, ['a', 'b'], at);
  t.deepEqual((await Promise.all([claim(), claim(), claim()])).flat().toSorted(), ['a', 'b']);
  t.deepEqual(await claim(), []);
  await noteFetched(db, 'a', { validators: {}, sha256: 'x', every: 12 * HOUR }, now);
  await noteNotFetched(db, 'b', 0, 'it answered 500', now);
  t.deepEqual(await claim(now + 2 * MINUTE), ['b'], 'what failed is tried again soon');
  t.deepEqual(await claim(now + 14 * MINUTE), []);
  t.deepEqual(await claim(now + 13 * HOUR), ['a', 'b']);
  t.deepEqual(await claimListFetches(db, [], now), []);
});

test('what a publisher said of its files is forgotten when another file was loaded in their place', async t => {
  const { db } = await world(t, { own_database: true });
  const validators = { 'https://example.com/a.csv': { etag: '"1"', last_modified: null } };
  const { sha256 } = await load(db, entries(10), { name: 'a' });
  await noteFetched(db, 'a', { validators, sha256, every: HOUR }, Date.now());
  t.deepEqual((await readSource(db, 'a')).validators, validators);
  await load(db, entries(9), { name: 'a' });
  t.deepEqual((await readSource(db, 'a')).validators, {});
});
