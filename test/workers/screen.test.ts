import test from 'ava';
import { z } from 'zod';
import { sql } from '#shared/platform/db.ts';
import { reconcileKind } from '#shared/running/work/reconcile.ts';
import { createSearch, type Search } from '#shared/screening/search/search.ts';
import { MINUTE, SECOND } from '#shared/values/time.ts';
import { walletKey } from '#test/helpers/lists.ts';
import { type ScreeningWorld, screening, shipping } from '#test/helpers/screening.ts';
import { createHandler } from '#workers/handlers/screen.ts';

const name = shipping.name;
const address = '0x209693Bc6afc0C5328bA36FaF03C514EF312287C';

test('a payee whose name is on a list is a potential match: a record, a webhook, and an alert about its payment', async t => {
  const w = await screening(t);
  await w.load([shipping]);
  const [bad, good] = [await w.pay(name), await w.pay('Bakery Anna')];
  await w.analyze();
  await w.screen();
  t.is((await w.payee(good)).screening_state, 'clear');
  const [found, ...more] = await w.screenings('state=potential_match');
  t.deepEqual(more, []);
  t.like(await w.payee(bad), { screening_state: 'potential_match', screening_id: found.id });
  t.like(found, { payee_id: bad, score: 1, decision: null, lists: [{ name: 'fictional', version: 1, stale: false }] });
  t.like(found.matches[0], { list: 'fictional', entry_id: '77', match_type: 'name', score: 1, programs: ['TEST'] });
  t.like(found.query, { name, aliases: [], date_of_birth: null });
  const [{ id: event_id }] = (await w.as.get(`/v1/events?payee_id=${bad}`)).body.data;
  t.deepEqual(await w.told(), [{ screening_id: found.id, event_id }]);
  const [alert] = await w.alerts();
  t.like(alert, {
    severity: 'critical',
    score: 100,
    event_ids: [event_id],
    title: `${name} may be on a sanctions list`,
  });
  t.is((await w.screenings(`payee_id=${good}`))[0].state, 'clear', 'what is clear is on record too');
});

test('a wallet on a list is found by its address alone, in any case', async t => {
  const w = await screening(t);
  await w.load([{ ...shipping, keys: [walletKey(address.toLowerCase())] }]);
  const id = await w.pay(null, { key: `eip155:8453:${address}` });
  await w.screen();
  const [found] = await w.screenings(`payee_id=${id}`);
  t.like(found, { state: 'potential_match', score: 1 });
  t.like(found.matches[0], { match_type: 'address', score: 1, entry_id: '77' });
});

test('without a list nothing is clear: payees wait, and nobody is sent to look', async t => {
  const w = await screening(t);
  const id = await w.pay(name);
  await w.screen();
  t.is((await w.payee(id)).screening_state, 'pending');
  const reconcile = async () => reconcileKind('screen', w.services);
  w.moveTo(w.services.now() + MINUTE);
  t.is(await reconcile(), 0);
  await w.load([shipping]);
  t.is(await reconcile(), 1);
  await w.screen();
  t.is((await w.payee(id)).screening_state, 'potential_match');
  t.is(await reconcile(), 0);
});

test('what a lost job left behind is found after two seconds', async t => {
  const w = await screening(t);
  await w.load([shipping]);
  const reconcile = async () => reconcileKind('screen', w.services);
  await w.pay(name);
  t.is(await reconcile(), 0, 'a job may be on its way');
  w.moveTo(w.services.now() + 3 * SECOND);
  t.is(await reconcile(), 1);
  await w.screen(w.tenant, AbortSignal.abort());
  t.is(await reconcile(), 1, 'a worker that is told to stop leaves it to others');
});

test('the first payment raises its alert whether it is analyzed before its payee is screened or after', async t => {
  const w = await screening(t);
  await w.load([shipping, { ...shipping, entry_id: '78', name: 'Tidewater Brokers' }]);
  await w.pay(name, { agent: 'a' });
  await w.pay(name, { agent: 'b' });
  await w.analyze();
  t.deepEqual(await w.alerts(), []);
  await w.screen();
  t.is((await w.alerts()).length, 2, 'one for each agent');
  await w.pay('Tidewater Brokers', { agent: 'a' });
  await w.screen();
  t.is((await w.alerts()).length, 2);
  await w.analyze();
  t.is((await w.alerts()).length, 3);
  await w.pay('Tidewater Brokers', { agent: 'a' });
  await w.analyze();
  t.is((await w.alerts()).length, 3, 'a further payment is added to the alert');
});

/** Takes the log through detection, whoever holds it now and then. */
async function analyzeAll(w: ScreeningWorld, events: number) {
  const analyzed = () =>
    w.db.oneFirst(sql.type(z.object({ seq: z.number() }))`select seq from detection_cursors limit 1`);
  while ((await analyzed()) < events) await w.analyze({ limit: 3 });
}

test('detection and screening at once lose no alert and double none', async t => {
  const w = await screening(t);
  const names = Array.from(
    { length: 30 },
    (_, index) => `Quendel ${'bdfgk'[index % 5]}a${'lmnrst'[index % 6]}mar Freight`,
  );
  await w.load(names.map((name, index) => ({ ...shipping, entry_id: String(index), name })));
  for (const [index, name] of names.entries()) await w.pay(name, { agent: `agent-${index}` });
  const screened = async () => {
    for (let round = 0; round < 3; round += 1) await w.screen();
  };
  await Promise.all([analyzeAll(w, names.length), screened(), screened()]);
  await w.screen();
  t.is((await w.screenings('state=potential_match')).length, names.length);
  t.is((await w.told()).length, names.length);
  t.is((await w.alerts()).length, names.length);
});

test('two workers at once screen no payee twice', async t => {
  const w = await screening(t);
  await w.load([shipping]);
  await w.addPayees(Array.from({ length: 700 }, (_, index) => (index % 100 === 0 ? name : `Shop ${index}`)));
  await Promise.all([w.screen(), w.screen(), w.screen()]);
  const counts = await w.db.one(sql.type(z.object({ all: z.number(), clear: z.number(), due: z.number() }))`
    select count(*)::int as all, count(*) filter (where state = 'clear')::int as clear,
      (select count(*)::int from payee_screenings where org_id = ${w.tenant.org_id} and due_at is not null) as due
    from screenings where org_id = ${w.tenant.org_id}`);
  t.deepEqual(counts, { all: 700, clear: 693, due: 0 });
  t.is((await w.told()).length, 7);
});

test('a payee that is called otherwise is screened again; one that matched counts as such until then', async t => {
  const w = await screening(t);
  await w.load([shipping]);
  const key = 'domain:renamed.example.com';
  const id = await w.pay('Bakery Anna', { key });
  await w.screen();
  t.is((await w.payee(id)).screening_state, 'clear');
  await w.pay(name, { key });
  t.is((await w.payee(id)).screening_state, 'pending');
  await w.screen();
  t.is((await w.payee(id)).screening_state, 'potential_match');
  await w.pay('Anna and Sons', { key });
  t.is((await w.payee(id)).screening_state, 'potential_match', 'payments go on raising alerts');
  await w.screen();
  const [latest, first] = await w.screenings(`payee_id=${id}`);
  t.like(latest, { state: 'potential_match', query: { name: 'Anna and Sons', aliases: ['Bakery Anna', name] } });
  t.is(first.state, 'clear');
  t.is((await w.told()).length, 1, 'a former name matches as before, which is nothing new');
});

test('a payee that cannot be screened stops no other; it is on record, and tried again later and later', async t => {
  const w = await screening(t);
  await w.load([shipping]);
  const [bad] = await w.addPayees(['Trouble Ltd', ...Array.from({ length: 40 }, (_, index) => `Shop ${index}`)]);
  await w.asOwner(
    `create function trouble() returns trigger language plpgsql as $$ begin
      if new.state <> 'error' and new.query->>'name' = 'Trouble Ltd' then raise exception 'new row for relation screenings violates check constraint trouble'; end if; return new;
    end $$`,
    'create trigger trouble before insert or update on screenings for each row execute function trouble()',
  );
  await w.screen();
  t.is((await w.screenings('state=clear')).length, 40);
  const [failed] = await w.screenings('state=error');
  t.like(failed, { payee_id: bad, matches: [], error: 'The payee could not be screened; it is tried again.' });
  t.like(await w.payee(bad ?? ''), { screening_state: 'error', screening_id: failed.id });
  for (const wait of [5, 6, 11, 10]) {
    w.moveTo(w.services.now() + wait * SECOND);
    await w.screen();
  }
  const attempts = sql.type(z.object({ attempts: z.number() }))`
    select attempts from payee_screenings where payee_id = ${bad ?? ''}`;
  t.is(await w.db.oneFirst(attempts), 3, 'after 10 s, and 20 s more');
  t.is((await w.screenings()).length, 41, 'all in one record');
  await w.asOwner('drop trigger trouble on screenings');
  w.moveTo(w.services.now() + MINUTE);
  await w.screen();
  t.like((await w.screenings(`payee_id=${bad}`))[0], { id: failed.id, state: 'clear', error: null });
});

test('a search that is interrupted leaves payees as they were, to be screened later', async t => {
  const w = await screening(t);
  await w.load([shipping]);
  const ids = await w.addPayees([name, 'Bakery Anna']);
  const { search } = w.services;
  const closed = createSearch({ log: w.services.log });
  await closed.close();
  const interrupted = createHandler({ ...w.services, search: closed }, new AbortController().signal);
  t.like(await t.throwsAsync(interrupted(w.tenant)), { code: 'unavailable' });
  for (const id of ids) t.is((await w.payee(id)).screening_state, 'pending');
  const unable: Search = { ...search, find: async (_, sought) => sought.map(() => ({ failed: 'x', too_much: true })) };
  await createHandler({ ...w.services, search: unable }, new AbortController().signal)(w.tenant);
  t.is((await w.screenings('state=error')).length, 2, 'a payee that takes too long to look for is on record');
});

test('organizations are screened against the lists of everybody and their own, and tell nobody else', async t => {
  const w = await screening(t);
  const rival = { ...w.tenant, org_id: (await w.organization('Rival')).id };
  await w.load([{ ...shipping, name: 'Umbral Payments', entry_id: '1' }]);
  await w.load([shipping], { name: 'ours', org_id: w.tenant.org_id });
  const names = [name, 'Umbral Payments', 'Bakery Anna'];
  await w.addPayees(names);
  await w.addPayees(names, rival);
  await w.screen();
  await w.screen(rival);
  const them = w.client((await w.key(rival.org_id)).key);
  const matched = (list: { query: { name: string }; lists: { name: string }[] }[]) =>
    list.map(({ query, lists }) => [query.name, lists.map(list => list.name).join(' ')]).toSorted();
  t.deepEqual(matched(await w.screenings('state=potential_match')), [
    [name, 'fictional ours'],
    ['Umbral Payments', 'fictional ours'],
  ]);
  const { data } = (await them.get('/v1/screenings?state=potential_match')).body;
  t.deepEqual(matched(data), [['Umbral Payments', 'fictional']]);
});

test('an organization that turned the detector off, or to shadow, is told by webhook alone', async t => {
  const w = await screening(t);
  await w.load([shipping, { ...shipping, entry_id: '78', name: 'Tidewater Brokers' }]);
  const admin = await w.person('admin');
  const set = (body: object) => admin.put('/v1/detectors/sanctions_match', body);
  t.is((await set({ enabled: false })).status, 200);
  await w.pay(name);
  await w.analyze();
  await w.screen();
  t.is((await set({ shadow: true })).status, 200);
  await w.pay('Tidewater Brokers');
  await w.analyze();
  await w.screen();
  t.deepEqual(await w.alerts(), []);
  t.is((await w.told()).length, 2);
  t.is((await w.as.get('/v1/detectors/sanctions_match/findings')).body.data.length, 1);
});

test('the payment of an agent raises its alert however many events of others came after it', async t => {
  const w = await screening(t);
  await w.load([shipping]);
  const id = await w.pay(name, { agent: 'early' });
  for (let index = 0; index < 101; index += 1) await w.pay(name, { agent: 'busy' });
  await w.analyze();
  for (let index = 0; index < 3; index += 1) await w.pay(name, { agent: 'late' });
  await w.screen();
  t.is((await w.payee(id)).screening_state, 'potential_match');
  const agents = async () =>
    (await w.alerts())
      .map(({ agent_id }: { agent_id: string }) => agent_id)
      .toSorted((a: string, b: string) => (a < b ? -1 : 1));
  t.is((await agents()).length, 2);
  await w.analyze();
  t.is((await agents()).length, 3, 'what was not analyzed by then raises its alert when it is');
});

test('readers of alerts look again when a living alert has become worse, not only when one is raised', async t => {
  const w = await screening(t);
  await w.load([shipping]);
  await w.pay('Halvorsen Oceanic Shiping');
  await w.analyze();
  await w.screen();
  const [before] = await w.alerts();
  await w.load([shipping, { ...shipping, entry_id: '78', name: 'Halvorsen Oceanic Shiping' }]);
  await w.screen();
  const [after, ...others] = await w.alerts();
  t.deepEqual(others, []);
  t.is(after.id, before.id);
  t.true(after.score > before.score, `${after.score} ${before.score}`);
});
