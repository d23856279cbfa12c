import test from 'ava';
import { Client } from 'pg';
import { z } from 'zod';
import { sql } from '#shared/platform/db.ts';
import { createDeltaIndexes } from '#shared/screening/flow/delta_indexes.ts';
import { rescreenPart } from '#shared/screening/flow/rescreen.ts';
import { reconcileKind } from '#shared/running/work/reconcile.ts';
import { removeList } from '#shared/screening/store/list_removal.ts';
import { EVERYBODY } from '#shared/screening/store/screening_lists.ts';
import { requestFullRescreen } from '#shared/screening/store/rescreens.ts';
import { saveThreshold } from '#shared/screening/store/screening_settings.ts';
import { pause } from '#shared/platform/pause.ts';
import { SECOND } from '#shared/values/time.ts';
import { entry, load } from '#test/helpers/lists.ts';
import { type ScreeningWorld, screening, shipping } from '#test/helpers/screening.ts';

const name = shipping.name;
const brokers = entry('78', 'Tidewater Brokers');

/** The next part of what is to be held against a change, and nothing else. */
async function onePart(w: ScreeningWorld) {
  const lists = await w.services.lists.newest(w.tenant.org_id);
  return rescreenPart(w.db, w.tenant, { lists, deltas: createDeltaIndexes(w.db), now: w.services.now });
}

const rescreens = (w: ScreeningWorld) =>
  w.db.any(sql.type(z.object({ from: z.number(), to: z.number(), after_id: z.string() }))`
    select from_version as from, to_version as to, after_id from screening_rescreens`);

/** Every row of the payees and their screenings, to see what was not touched. */
const touched = ({ db, tenant: { org_id } }: ScreeningWorld) =>
  db.oneFirst(sql.type(z.object({ rows: z.string() }))`
    select string_agg(p.xmin::text || p.payee_id, ' ' order by p.payee_id) || (
      select string_agg(s.xmin::text || s.id, ' ' order by s.id) from screenings s where s.org_id = ${org_id}) as rows
    from payee_screenings p where p.org_id = ${org_id} and p.state = 'clear'`);

test('an entry that is added raises whom it matches, and costs everybody else nothing', async t => {
  const w = await screening(t);
  await w.load([shipping]);
  const [old, fresh] = [await w.pay(name), await w.pay('Tidewater Brokers', { agent: 'b' })];
  await w.addPayees(Array.from({ length: 50 }, (_, index) => `Shop ${index}`));
  await w.analyze();
  await w.screen();
  const [told, alerts] = [(await w.told()).length, (await w.alerts()).length];
  t.deepEqual([told, alerts], [1, 1]);
  const loaded = await w.load([shipping, brokers]);
  t.like(loaded, { version: 2, added: 1, removed: 0, changed: 0 });
  await w.screen();
  t.is((await w.payee(fresh)).screening_state, 'potential_match');
  t.deepEqual([(await w.told()).length, (await w.alerts()).length], [2, 2], 'only what is new is told');
  const [first, second] = await w.screenings(`payee_id=${fresh}`);
  t.like(first, { state: 'potential_match', lists: [{ version: 2 }] });
  t.like(second, { state: 'clear', lists: [{ version: 1 }] });
  t.is((await w.screenings(`payee_id=${old}`)).length, 1);
  const before = await touched(w);
  await w.load([shipping, brokers, entry('79', 'Whom nobody pays')]);
  await w.screen();
  t.is(await touched(w), before);
  t.deepEqual(await rescreens(w), []);
});

test('a list that is removed clears whom it alone matched, and costs everybody else nothing', async t => {
  const w = await screening(t);
  await w.load([shipping]);
  await load(w.db, [brokers, shipping], { name: 'other', now: w.services.now() });
  const [both, alone] = [await w.pay(name), await w.pay('Tidewater Brokers', { agent: 'b' })];
  await w.addPayees(Array.from({ length: 20 }, (_, index) => `Shop ${index}`));
  await w.screen();
  t.is((await w.payee(alone)).screening_state, 'potential_match');
  const before = await touched(w);
  const remove = (list: string) =>
    w.db.transaction(tx => removeList(tx, { org_id: EVERYBODY, name: list }, w.services.now()));
  t.deepEqual(await remove('other'), { name: 'other', version: 2, removed: 2 });
  await w.screen();
  t.is((await w.payee(alone)).screening_state, 'clear');
  t.is((await w.payee(both)).screening_state, 'potential_match');
  t.true((await touched(w)).includes(before.slice(0, 200)), 'nobody else was written');
  t.deepEqual(await rescreens(w), []);
  await t.throwsAsync(remove('other'), { message: /No such list/ });

  await remove('fictional');
  await load(w.db, [brokers], { name: 'new', now: w.services.now() });
  const before_it = { lists: [], deltas: createDeltaIndexes(w.db), now: w.services.now };
  t.is(await rescreenPart(w.db, w.tenant, before_it), 'again', 'a list was loaded since');
  await remove('new');
  await w.screen();
  t.is((await w.payee(alone)).screening_state, 'pending', 'without a list nobody is clear');
  t.is((await w.payee(both)).screening_state, 'potential_match', 'what was found stays until there is a list again');
  t.is((await w.as.post('/v1/screen', { payee: { name } })).body.error.code, 'no_lists');
  t.like(await load(w.db, [brokers], { name: 'other', format: 'opensanctions', now: w.services.now() }), {
    version: 3,
    added: 1,
  });
  await w.screen();
  t.is((await w.payee(alone)).screening_state, 'potential_match');
  t.is((await w.payee(both)).screening_state, 'clear');
});

test('removing a list that frees payees has all of them looked at again', async t => {
  const w = await screening(t);
  const freed = entry('own-1', name, { action: 'allow' });
  await load(w.db, [freed, entry('own-2', 'Whom nobody pays')], {
    name: 'own',
    org_id: w.tenant.org_id,
    now: w.services.now(),
  });
  await w.load([shipping]);
  const id = await w.pay(name);
  await w.screen();
  t.is((await w.payee(id)).screening_state, 'clear');
  await w.db.transaction(tx => removeList(tx, { org_id: w.tenant.org_id, name: 'own' }, w.services.now()));
  await w.screen();
  t.is((await w.payee(id)).screening_state, 'potential_match');
});

test('an entry that is removed, or no longer matches, clears what nobody has reviewed', async t => {
  const w = await screening(t);
  await w.load([shipping, brokers]);
  const [one, two] = [await w.pay(name), await w.pay('Tidewater Brokers')];
  await w.screen();
  await w.load([{ ...brokers, name: 'Something else altogether' }]);
  await w.screen();
  for (const id of [one, two]) {
    t.is((await w.payee(id)).screening_state, 'clear');
    const [only, ...more] = await w.screenings(`payee_id=${id}`);
    t.deepEqual(more, []);
    t.like(only, { state: 'clear', score: 0, matches: [], lists: [{ version: 2 }], reviewed_at: null });
  }
});

test('what was dismissed is raised again when the names of the entry change, and not when anything else does', async t => {
  const w = await screening(t);
  await w.load([shipping]);
  const id = await w.pay(name);
  await w.screen();
  await w.review((await w.screenings())[0].id, 'false_positive', 'another company');
  t.is((await w.payee(id)).screening_state, 'false_positive');
  await w.load([{ ...shipping, programs: ['OTHER'], remarks: 'moved' }]);
  await w.screen();
  t.is((await w.payee(id)).screening_state, 'false_positive');
  t.is((await w.screenings()).length, 1);
  await w.load([{ ...shipping, aliases: [{ name: 'Halvorsen Lines', weak: false }] }]);
  await w.screen();
  t.is((await w.payee(id)).screening_state, 'potential_match');
  const [again, before] = await w.screenings();
  t.like(again, { state: 'potential_match', matches: [{ entry_id: '77', decision: null }] });
  t.like(before, { state: 'false_positive', decision: 'false_positive' });
  t.is((await w.told()).length, 2);
});

test('a list beside those there are is held against everybody who was clear', async t => {
  const w = await screening(t);
  await w.load([shipping]);
  const id = await w.pay('Tidewater Brokers');
  await w.screen();
  t.is((await w.payee(id)).screening_state, 'clear');
  await load(w.db, [brokers], { name: 'second', now: w.services.now() });
  await w.screen();
  const [found] = await w.screenings(`payee_id=${id}`);
  t.like(found, { state: 'potential_match', matches: [{ list: 'second', entry_id: '78' }] });
});

test('an entry of an allow list clears whom it names; taken off, they are raised', async t => {
  const w = await screening(t);
  await w.load([shipping]);
  const id = await w.pay(name);
  await w.screen();
  const ours = { name: 'ours', org_id: w.tenant.org_id };
  const allowed = { ...shipping, entry_id: 'known', action: 'allow' as const };
  await w.load([allowed], ours);
  await w.screen();
  t.is((await w.payee(id)).screening_state, 'clear');
  t.like((await w.screenings())[0], { allowed_by: { list: 'ours', entry_id: 'known' } });
  await w.load([], ours);
  await w.screen();
  t.is((await w.payee(id)).screening_state, 'potential_match');
});

test('a worker that was killed goes on where it was; a newer version begins again with both changes', async t => {
  const w = await screening(t);
  await w.load([shipping]);
  await w.addPayees(
    Array.from({ length: 2_500 }, (_, index) => (index === 2_400 ? 'Tidewater Brokers' : `Shop ${index}`)),
  );
  const late = await w.pay('Umbral Payments');
  while ((await w.screenings('state=clear')).length < 200) await w.screen();
  await w.screen();
  await w.screen();
  await w.load([shipping, brokers]);
  t.like(await onePart(w), { payees: 1_000, hits: 0, done: false });
  const [{ after_id } = { after_id: '' }] = await rescreens(w);
  t.true(after_id.startsWith('pye_'));
  t.like(await onePart(w), { payees: 1_000, hits: 0, done: false });
  await w.load([shipping, brokers, entry('80', 'Umbral Payments')]);
  t.deepEqual(await rescreens(w), [{ from: 1, to: 3, after_id: '' }]);
  const reconcile = async () => reconcileKind('screen', w.services);
  w.moveTo(w.services.now() + 3 * SECOND);
  t.is(await reconcile(), 1, 'a job that was lost is made up for');
  await w.screen();
  t.deepEqual(await rescreens(w), []);
  const found = await w.screenings('state=potential_match');
  t.deepEqual(found.map(({ query }: { query: { name: string } }) => query.name).toSorted(), [
    'Tidewater Brokers',
    'Umbral Payments',
  ]);
  t.is((await w.payee(late)).screening_state, 'potential_match');
});

test('what is loaded while payees are being screened finds them all the same', async t => {
  const w = await screening(t);
  await w.load([shipping]);
  await w.addPayees(
    Array.from({ length: 600 }, (_, index) => (index % 60 === 0 ? 'Tidewater Brokers' : `Shop ${index}`)),
  );
  const loading = (async () => {
    for (const round of [1, 2, 3]) await w.load([shipping, brokers, entry(`r${round}`, `Round number ${round}`)]);
  })();
  await Promise.all([w.screen(), loading, w.screen()]);
  await w.screen();
  t.is((await w.screenings('state=potential_match')).length, 10);
  t.is((await w.told()).length, 10);
});

test('a lower threshold finds more, a higher one less, and what was confirmed stays', async t => {
  const w = await screening(t);
  await w.load([shipping, brokers]);
  const near = 'Halvorsen Oceanic Shipping Company';
  const [likely, sure] = [await w.pay(near), await w.pay(name)];
  await w.screen();
  const set = async (threshold: number) => {
    await saveThreshold(w.db, w.tenant, threshold, w.services.now());
    await requestFullRescreen(w.db, w.tenant, w.services.now());
    await w.screen();
    return [(await w.payee(likely)).screening_state, (await w.payee(sure)).screening_state];
  };
  t.deepEqual(await set(0.4), ['potential_match', 'potential_match']);
  const [{ id, score }] = await w.screenings(`payee_id=${likely}`);
  t.true(score < 0.99, String(score));
  t.deepEqual(await set(0.995), ['clear', 'potential_match']);
  t.deepEqual(await set(0.4), ['potential_match', 'potential_match']);
  const [again] = await w.screenings(`payee_id=${likely}`);
  t.not(again.id, id, 'what had become clear is another record');
  await w.review(again.id, 'true_match');
  t.deepEqual(await set(0.995), ['confirmed_match', 'potential_match']);
});

test('of two first lists that are loaded while payees are being screened, both are held against all of them', async t => {
  const w = await screening(t);
  const names = Array.from({ length: 400 }, (_, index) => (index % 40 === 0 ? 'Tidewater Brokers' : `Shop ${index}`));
  await w.addPayees(names);
  const now = w.services.now();
  const screened = async () => {
    for (let round = 0; round < 8; round += 1) await w.screen();
  };
  await Promise.all([
    w.load([shipping]),
    screened(),
    load(w.db, [...w.fillers(3_000), brokers], { name: 'second', now }),
    screened(),
  ]);
  await w.screen();
  t.is((await w.screenings('state=potential_match')).length, 10);
  t.deepEqual(await rescreens(w), []);
});

test('a payee that somebody is screening while it is held against a change is screened again', async t => {
  const w = await screening(t);
  await w.load([shipping]);
  await w.addPayees(['Bakery Anna']);
  await w.screen();
  await w.db.query(sql.unsafe`update payee_screenings set due_at = first_seen_at`);
  await w.load([shipping, brokers]);
  const screener = await holdPayees(w);
  const part = onePart(w);
  await screener.finish(`update payees set name = 'Tidewater Brokers'; update payee_screenings set due_at = null`);
  t.like(await part, { payees: 1, hits: 1, done: true });
  await w.screen();
  t.is((await w.screenings('state=potential_match')).length, 1);
});

/** Somebody who holds every payee, as a screener does, and ends with a statement. */
async function holdPayees(w: ScreeningWorld) {
  const client = new Client({ connectionString: w.database.owner_url });
  await client.connect();
  await client.query('begin');
  await client.query('select from payee_screenings where org_id = $1 for update', [w.tenant.org_id]);
  return {
    async finish(statement: string) {
      await pause(SECOND / 2);
      await client.query(statement);
      await client.query('commit');
      await client.end();
    },
  };
}
