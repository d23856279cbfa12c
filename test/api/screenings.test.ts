import test, { type ExecutionContext } from 'ava';
import { newId } from '#shared/interface/ids.ts';
import { saveThreshold } from '#shared/screening/store/screening_settings.ts';
import { DAY } from '#shared/values/time.ts';
import { entry, load, walletKey } from '#test/helpers/lists.ts';
import { screening, shipping } from '#test/helpers/screening.ts';
import { NOBODY } from '#test/helpers/routes.ts';

const name = shipping.name;
const address = '0x209693Bc6afc0C5328bA36FaF03C514EF312287C';
const rich = {
  ...shipping,
  keys: [
    walletKey(address),
    { type: 'iban' as const, value: 'DE89370400440532013000', label: null },
    { type: 'domain' as const, value: 'halvorsen.example.org', label: 'Website' },
    { type: 'other' as const, value: 'Halvorsen desk 7', label: null },
    { type: 'document' as const, value: 'A 649-385', label: 'Passport' },
    { type: 'email' as const, value: 'desk@halvorsen.example.org', label: null },
  ],
  countries: ['PA'],
};

async function loaded(t: ExecutionContext) {
  const w = await screening(t);
  await w.load([rich, entry('78', 'Tidewater Brokers'), entry('79', 'Tidewater Broker Services')]);
  const ask = async (body: object) => (await w.as.post('/v1/screen', body)).body.screening;
  return { ...w, ask };
}

test('somebody who is on a list is found by name, and the answer is kept', async t => {
  const w = await loaded(t);
  const { status, body } = await w.as.post('/v1/screen', { payee: { name, country: 'panama', type: 'organization' } });
  t.is(status, 200);
  const { screening: made } = body;
  t.like(made, { state: 'potential_match', payee_id: null, score: 1, threshold: 0.85, created_by: w.full.id });
  t.like(made.query, { name, country: 'PA', type: 'organization', key: null, wallets: [] });
  t.like(made.matches[0], {
    list: 'fictional',
    entry_id: '77',
    name,
    matched_name: name,
    match_type: 'name',
    score: 1,
  });
  t.deepEqual(made.lists[0], { name: 'fictional', version: 1, loaded_at: made.lists[0].loaded_at, stale: false });
  t.deepEqual((await w.as.get(`/v1/screenings/${made.id}`)).body, made);
  t.deepEqual(await w.screenings(), [made]);
  t.deepEqual(await w.alerts(), [], 'an alert is about a payee');
  t.deepEqual(await w.told(), [{ screening_id: made.id, event_id: null }]);
  t.is((await w.as.post('/v1/screen', { payee: { name: 'Bakery Anna' } })).body.screening.state, 'clear');
  t.is((await w.told()).length, 1, 'nobody is told of who is clear');
});

test('an identifier is found exactly, in whichever member it stands', async t => {
  const { ask } = await loaded(t);
  const asked: [object, string][] = [
    [{ key: `eip155:8453:${address.toLowerCase()}` }, 'address'],
    [{ key: 'iban:de89 3704 0044 0532 0130 00' }, 'identifier'],
    [{ key: 'domain:halvorsen.example.org' }, 'identifier'],
    [{ key: 'www.halvorsen.example.org' }, 'identifier'],
    [{ key: ' DE89 3704 0044 0532 0130 00' }, 'identifier'],
    [{ key: address.toLowerCase() }, 'address'],
    [{ key: 'Halvorsen desk 7' }, 'identifier'],
    [{ key: 'account:pix:Desk@Halvorsen.example.org' }, 'identifier'],
    [{ wallets: [{ address }] }, 'address'],
    [{ wallets: [{ network: 'base', address }] }, 'address'],
    [{ identifiers: [{ type: 'iban', value: 'DE89370400440532013000' }] }, 'identifier'],
    [{ identifiers: [{ type: 'other', value: 'DE89370400440532013000' }] }, 'identifier'],
  ];
  for (const [payee, match_type] of asked) {
    const made = await ask({ payee });
    t.like(made, { state: 'potential_match', score: 1, matches: [{ match_type, score: 1 }] }, JSON.stringify(payee));
    t.truthy(made.matches[0].features.key);
  }
  t.like(await ask({ payee: { key: 'merchant:stripe:acct_1' } }), { state: 'clear', score: 0, matches: [] });
});

test('a text that people call a payee by is not held to be the number of a document', async t => {
  const { ask } = await loaded(t);
  t.is((await ask({ payee: { key: 'A649385' } })).state, 'clear');
  t.is((await ask({ payee: { identifiers: [{ type: 'document', value: 'A649385' }] } })).state, 'potential_match');
});

test('threshold and limit say what is returned by this call, the best first', async t => {
  const { ask } = await loaded(t);
  const all = await ask({ payee: { name: 'Tidewater Brokers' }, threshold: 0.3 });
  t.true(all.matches.length >= 2);
  t.deepEqual(all.matches.map(({ entry_id }: { entry_id: string }) => entry_id).slice(0, 2), ['78', '79']);
  t.is((await ask({ payee: { name: 'Tidewater Brokers' }, threshold: 0.3, limit: 1 })).matches.length, 1);
  t.like(await ask({ payee: { name: 'Tidewater Brokes' }, threshold: 1 }), {
    state: 'clear',
    threshold: 1,
    matches: [],
  });
});

test('lists are named to be the only ones; a name that is none is refused', async t => {
  const w = await loaded(t);
  await load(w.db, [entry('1', 'Halvorsen Ocean Shipping Ltd')], { name: 'ours', org_id: w.tenant.org_id });
  const found = (made: { matches: { list: string }[] }) => made.matches.map(({ list }) => list).toSorted();
  t.deepEqual(found(await w.ask({ payee: { name } })), ['fictional', 'ours']);
  const narrow = await w.ask({ payee: { name }, lists: ['ours'] });
  t.deepEqual(found(narrow), ['ours']);
  t.deepEqual(
    narrow.lists.map((list: { name: string }) => list.name),
    ['ours'],
  );
  const { status, body } = await w.as.post('/v1/screen', { payee: { name }, lists: ['ours', 'ofac'] });
  t.is(status, 400);
  t.like(body.error.details[0], { path: '/lists/1', code: 'not_found' });
});

test('a question counts with the lists and the threshold of its moment, also right after another one', async t => {
  const w = await loaded(t);
  const about = { payee: { name: 'Nordwind Freight' } };
  t.like(await w.ask(about), { state: 'clear', threshold: 0.85 });
  await load(w.db, [entry('1', 'Nordwind Freight')], { name: 'ours', org_id: w.tenant.org_id });
  const found = await w.ask(about);
  t.like(found, { state: 'potential_match', threshold: 0.85, matches: [{ list: 'ours' }] });
  t.is(found.lists.length, 2);
  await saveThreshold(w.db, w.tenant, 0.5, Date.now());
  t.like(await w.ask({ payee: { name: 'Nordwind' } }), { threshold: 0.5 });
  const { body } = await w.as.post('/v1/screen', { payees: [about.payee], lists: ['ours'] });
  t.like(body.screenings[0].screening, { state: 'potential_match', threshold: 0.5, lists: [{ name: 'ours' }] });
  t.is((await w.as.get('/v1/screenings')).body.data.length, 4, 'each is kept once');
});

test('without a list there is no answer', async t => {
  const w = await screening(t);
  const { status, body } = await w.as.post('/v1/screen', { payee: { name } });
  t.deepEqual([status, body.error.code], [422, 'no_lists']);
  t.deepEqual(await w.screenings(), []);
  await w.load([shipping]);
  t.is(
    (await w.as.post('/v1/screen', { payee: { name } })).status,
    200,
    'and there is one as soon as a list is loaded',
  );
});

test('of a registered payee it counts: its state, a webhook, and an alert about what it was paid', async t => {
  const w = await loaded(t);
  const id = await w.pay(name);
  await w.analyze();
  const made = await w.ask({ payee_id: id.toLowerCase() });
  t.like(made, { payee_id: id, state: 'potential_match', query: { name } });
  t.like(await w.payee(id), { screening_state: 'potential_match', screening_id: made.id });
  t.deepEqual([(await w.alerts()).length, (await w.told()).length], [1, 1]);
  t.is((await w.ask({ payee_id: id })).id, made.id, 'what is still to be reviewed is asked about once');
  await w.screen();
  t.deepEqual([(await w.screenings()).length, (await w.told()).length], [1, 1]);
});

test('a narrower question about a payee is answered beside: it neither clears nor accuses it', async t => {
  const w = await loaded(t);
  await load(w.db, [entry('1', 'Nobody Known')], { name: 'other', now: w.services.now() });
  const [bad, good] = [await w.pay(name), await w.pay('Tidewater Booking')];
  await w.screen();
  for (const more of [{ threshold: 1, payee: { name: 'Someone' } }, { lists: ['other'] }]) {
    const made = await w.ask({ payee_id: bad, ...more });
    t.like(made, { payee_id: bad, state: 'clear' });
    t.like(await w.payee(bad), { screening_state: 'potential_match' });
  }
  t.is((await w.ask({ payee_id: good, threshold: 0.3 })).state, 'potential_match');
  t.is((await w.payee(good)).screening_state, 'clear');
  t.deepEqual(
    (await w.told()).map(({ event_id }) => event_id === null),
    [false, true],
    'what comes to be a potential match is told of, this one without a payment',
  );
});

test('what is wrong with a question is said at its place', async t => {
  const { as } = await loaded(t);
  const wrong: [object, string][] = [
    [{}, ''],
    [{ payee: {} }, '/payee'],
    [{ payee: { country: 'DE' } }, '/payee'],
    [{ payee: { name: ' ' } }, '/payee/name'],
    [{ payee: { name: 'x'.repeat(10_001) } }, '/payee/name'],
    [{ payee: { name, country: 'Atlantis' } }, '/payee/country'],
    [{ payee: { name, type: 'ship' } }, '/payee/type'],
    [{ payee: { name, date_of_birth: '57' } }, '/payee/date_of_birth'],
    [{ payee: { name, date_of_birth: '1957-02-30' } }, '/payee/date_of_birth'],
    [{ payee: { key: 'iban:DE00' } }, '/payee/key'],
    [{ payee: { wallets: [{ network: 'base', address: '0x12' }] } }, '/payee/wallets/0/address'],
    [{ payee: { wallets: [{ network: 'bitcoin-ish!', address }] } }, '/payee/wallets/0/network'],
    [{ payee: { identifiers: [{ type: 'passport', value: '1' }] } }, '/payee/identifiers/0/type'],
    [{ payee: { name }, threshold: 1.1 }, '/threshold'],
    [{ payee: { name }, limit: 0 }, '/limit'],
    [{ payee: { name }, limit: 101 }, '/limit'],
    [{ payee: { name }, lists: [] }, '/lists'],
    [{ payee_id: 'pye_1' }, '/payee_id'],
  ];
  for (const [body, path] of wrong) {
    const reply = await as.post('/v1/screen', body);
    t.is(reply.status, 400, JSON.stringify(body).slice(0, 100));
    t.is(reply.body.error.details[0].path, path, JSON.stringify(body).slice(0, 100));
  }
  t.is((await as.post('/v1/screen', { payee_id: `pye_${NOBODY}` })).status, 404);
});

test('any name is answered, however long or odd', async t => {
  const { as } = await loaded(t);
  const odd = [
    'x'.repeat(10_000),
    'word '.repeat(2_000),
    '…!?',
    '𝓗𝓪𝓵𝓿𝓸𝓻𝓼𝓮𝓷',
    '‮gnihtemos',
    'Ltd',
    'ال',
    '🚢',
    "'; drop table payees; --",
    '\t\n\u0007x',
  ];
  for (const name of odd) {
    const { status } = await as.post('/v1/screen', { payee: { name } });
    t.is(status, 200, name.slice(0, 20));
  }
  for (const country of ['DE', 'de', 'Germany', 'South Korea', "Côte d'Ivoire"])
    t.is((await as.post('/v1/screen', { payee: { name, country } })).status, 200, country);
  for (const date_of_birth of ['1957', '1957-03', '1957-03-10'])
    t.is((await as.post('/v1/screen', { payee: { name, date_of_birth } })).status, 200, date_of_birth);
});

test('the same question with one Idempotency-Key is asked once', async t => {
  const w = await loaded(t);
  const ask = () => w.as.post('/v1/screen', { payee: { name } }, { 'idempotency-key': 'k-1' });
  const [first, second] = [await ask(), await ask()];
  t.deepEqual(second.body, first.body);
  t.is(second.headers.get('idempotent-replayed'), 'true');
  t.is((await w.screenings()).length, 1);
});

test('screenings are listed by state, payee and time, and change their ETag when they change', async t => {
  const w = await loaded(t);
  const [bad, good] = [await w.pay(name), await w.pay('Bakery Anna')];
  await w.screen();
  const found = async (query: string) =>
    (await w.screenings(query)).map(({ payee_id }: { payee_id: string }) => payee_id);
  t.deepEqual(await found('state=potential_match'), [bad]);
  t.deepEqual(await found('state=pending'), []);
  t.deepEqual(await found(`payee_id=${good}`), [good]);
  t.deepEqual(await found(`payee_id=${newId('pye')}`), []);
  const now = w.services.now();
  t.is((await found(`from=${new Date(now).toISOString()}`)).length, 2);
  t.deepEqual(await found(`to=${new Date(now).toISOString()}`), []);
  for (const query of ['state=fine', 'payee_id=1', 'list=ofac'])
    t.is((await w.as.get(`/v1/screenings?${query}`)).status, 400);
  const etag = async () => (await w.as.get('/v1/screenings')).headers.get('etag');
  const before = await etag();
  t.is(await etag(), before);
  await w.review((await w.screenings('state=potential_match'))[0].id, 'true_match');
  t.not(await etag(), before);
});

test('what is loaded is listed, with what is stale and what is the organization’s own', async t => {
  const w = await screening(t);
  const rival = await w.organization('Rival');
  await w.load([shipping], { now: w.services.now() - 8 * DAY });
  await load(w.db, [entry('1', 'x')], { name: 'ours', org_id: w.tenant.org_id });
  await load(w.db, [entry('1', 'x')], { name: 'theirs', org_id: rival.id });
  const { data } = (await w.as.get('/v1/screening-lists')).body;
  t.deepEqual(
    data.map((list: Record<string, unknown>) => [
      list['name'],
      list['version'],
      list['entries'],
      list['stale'],
      list['scope'],
    ]),
    [
      ['fictional', 1, 11, true, 'everyone'],
      ['ours', 1, 1, false, 'organization'],
    ],
  );
});
