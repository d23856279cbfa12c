import test, { type ExecutionContext } from 'ava';
import { sql } from '#shared/platform/db.ts';
import { entry, walletKey } from '#test/helpers/lists.ts';
import { type ScreeningWorld, screening, shipping } from '#test/helpers/screening.ts';

const name = shipping.name;
const address = '0x209693Bc6afc0C5328bA36FaF03C514EF312287C';

/** A payee that was paid and may be on a list, with the screening that says so. */
async function suspected(t: ExecutionContext, called = name) {
  const w = await screening(t, { own_database: false });
  await w.load([shipping]);
  const payee_id = await w.pay(called);
  await w.analyze();
  const { body } = await w.as.post('/v1/screen', { payee_id });
  return { ...w, payee_id, id: body.screening.id as string, score: body.screening.score as number };
}

const review = (w: ScreeningWorld & { id: string }, body: object) => w.as.post(`/v1/screenings/${w.id}/review`, body);

test('a confirmed match is one for the payee, its alert and every later payment', async t => {
  const w = await suspected(t);
  const reply = await review(w, { decision: 'true_match', reason: 'same registration number' });
  t.deepEqual([reply.status, reply.body], [200, { ok: true }]);
  const { body } = await w.as.get(`/v1/screenings/${w.id}`);
  t.like(body, { state: 'confirmed_match', decision: 'true_match', reason: 'same registration number' });
  t.like(body, { reviewed_by: w.full.id, matches: [{ decision: 'true_match' }] });
  t.truthy(body.reviewed_at);
  t.is((await w.payee(w.payee_id)).screening_state, 'confirmed_match');
  const [alert] = await w.alerts();
  t.like(alert.actions[0], { action: 'comment', actor_id: null });
  t.regex(alert.actions[0].reason, /a person confirmed the match.*same registration number/);
  await w.pay(name, { agent: 'another' });
  await w.analyze();
  t.is((await w.alerts())[0].title, `${name} is on a sanctions list`);
});

test('a false positive ends it: later payments raise nothing, and screening the payee again finds it decided', async t => {
  const w = await suspected(t);
  await w.review(w.id, 'false_positive', 'a bakery in Oslo');
  t.is((await w.payee(w.payee_id)).screening_state, 'false_positive');
  await w.pay(name, { agent: 'another' });
  await w.analyze();
  t.is((await w.alerts()).length, 1);
  const { screening } = (await w.as.post('/v1/screen', { payee_id: w.payee_id })).body;
  t.not(screening.id, w.id, 'whoever asks gets a record of it');
  t.like(screening, { state: 'false_positive', score: 1, decision: null, matches: [{ decision: 'false_positive' }] });
  t.is((await w.told()).length, 1);
});

test('who calls a match false that is as good as certain gives a reason', async t => {
  const w = await suspected(t);
  for (const more of [{}, { reason: '' }, { reason: ' \n\t' }]) {
    const { status, body } = await review(w, { decision: 'false_positive', ...more });
    t.is(status, 422);
    t.like(body.error, { code: 'reason_required', details: [{ path: '/reason' }] });
  }
  t.is((await w.payee(w.payee_id)).screening_state, 'potential_match');
  t.is((await review(w, { decision: 'false_positive', reason: 'r' })).status, 200);
});

test('a likeness can be called false without a reason, an exact identifier cannot', async t => {
  const w = await screening(t, { own_database: false });
  await w.load([{ ...shipping, keys: [walletKey(address)] }]);
  const likely = (await w.as.post('/v1/screen', { payee: { name: 'Halvorsen Fishing AS' }, threshold: 0.2 })).body
    .screening;
  t.true(likely.score < 0.95 && likely.state === 'potential_match', String(likely.score));
  t.is((await w.as.post(`/v1/screenings/${likely.id}/review`, { decision: 'false_positive' })).status, 200);
  const exact = (await w.as.post('/v1/screen', { payee: { wallets: [{ address }] } })).body.screening;
  t.is((await w.as.post(`/v1/screenings/${exact.id}/review`, { decision: 'false_positive' })).status, 422);
});

test('the same decision again changes nothing, and any other is refused', async t => {
  const w = await suspected(t);
  await w.review(w.id, 'true_match');
  const before = (await w.as.get(`/v1/screenings/${w.id}`)).body;
  t.is((await review(w, { decision: 'true_match', reason: 'once more' })).status, 200);
  t.deepEqual((await w.as.get(`/v1/screenings/${w.id}`)).body, before);
  const { status, body } = await review(w, { decision: 'false_positive', reason: 'no' });
  t.deepEqual([status, body.error.code], [422, 'not_reviewable']);
  t.is((await w.alerts())[0].actions.length, 1);
});

test('what is clear is nothing to review; what is not there neither', async t => {
  const w = await suspected(t, 'Bakery Anna');
  const { status, body } = await review(w, { decision: 'true_match' });
  t.deepEqual([status, body.error.code], [422, 'not_reviewable']);
  const never = await w.as.post('/v1/screenings/scr_01ARZ3NDEKTSV4RRFFQ69G5FAV/review', { decision: 'true_match' });
  t.is(never.status, 404);
  for (const wrong of [
    {},
    { decision: 'maybe' },
    { decision: 'true_match', reason: 'x'.repeat(2_001) },
    { decision: 'true_match', because: 'x' },
  ])
    t.is((await review(w, wrong)).status, 400, JSON.stringify(wrong).slice(0, 60));
});

test('a decision is remembered until the payee is called otherwise', async t => {
  const w = await suspected(t);
  await w.review(w.id, 'false_positive', 'another');
  const key = (await w.payee(w.payee_id)).key;
  await w.pay(name, { key, country: 'NO' });
  await w.screen();
  t.is((await w.payee(w.payee_id)).screening_state, 'false_positive', 'a country is no name');
  await w.pay(`${name} Norway`, { key });
  await w.screen();
  t.is((await w.payee(w.payee_id)).screening_state, 'potential_match');
  t.is((await w.told()).length, 2);
});

test('a likeness that was dismissed is raised when it turns out to be the same wallet', async t => {
  const w = await screening(t, { own_database: false });
  await w.load([shipping]);
  const payee_id = await w.pay(name, { key: `eip155:8453:${address}` });
  await w.screen();
  await w.review((await w.screenings())[0].id, 'false_positive', 'only called alike');
  await w.load([{ ...shipping, keys: [walletKey(address)] }]);
  await w.screen();
  t.is((await w.payee(payee_id)).screening_state, 'potential_match');
  t.like((await w.screenings())[0].matches[0], { match_type: 'address', decision: null });
});

test('a review decides on what is new, and leaves what was decided before', async t => {
  const w = await suspected(t);
  await w.review(w.id, 'true_match');
  await w.load([shipping, entry('80', name)]);
  await w.screen();
  const [second] = await w.screenings();
  t.like(second, { state: 'potential_match' });
  t.deepEqual(
    second.matches.map((match: Record<string, unknown>) => [match['entry_id'], match['decision']]).toSorted(),
    [
      ['77', 'true_match'],
      ['80', null],
    ],
  );
  t.is((await w.payee(w.payee_id)).screening_state, 'confirmed_match', 'one that is confirmed outweighs it');
  await w.review(second.id, 'false_positive', 'not this one');
  t.is((await w.payee(w.payee_id)).screening_state, 'confirmed_match');
  t.is((await w.as.get(`/v1/screenings/${second.id}`)).body.state, 'confirmed_match');
});

test('confirming what a narrower question found makes it count', async t => {
  const w = await screening(t, { own_database: false });
  await w.load([shipping]);
  const payee_id = await w.pay('Halvorsen Fishing AS');
  await w.analyze();
  await w.screen();
  t.is((await w.payee(payee_id)).screening_state, 'clear');
  const { screening: found } = (await w.as.post('/v1/screen', { payee_id, threshold: 0.3 })).body;
  t.is(found.state, 'potential_match');
  await w.review(found.id, 'true_match');
  t.is((await w.payee(payee_id)).screening_state, 'confirmed_match');
  t.is((await w.alerts()).length, 1);
  await w.screen();
  t.is((await w.payee(payee_id)).screening_state, 'confirmed_match', 'also when its turn comes');
});

test('a review is in the audit log once, and is for those who may act on alerts', async t => {
  const w = await suspected(t);
  const reader = await w.withScopes('alerts:read', 'screening:write');
  t.is((await reader.post(`/v1/screenings/${w.id}/review`, { decision: 'true_match' })).status, 403);
  const developer = await w.person('developer');
  t.is((await developer.post(`/v1/screenings/${w.id}/review`, { decision: 'true_match' })).status, 200);
  t.is((await developer.post(`/v1/screenings/${w.id}/review`, { decision: 'true_match' })).status, 200);
  const admin = await w.person('admin');
  const { data } = (await admin.get('/v1/audit-log?action=screening.reviewed')).body;
  t.is(data.length, 1);
  t.like(data[0], {
    target_id: w.id,
    actor_id: developer.user.id,
    before: { state: 'potential_match' },
    after: { state: 'confirmed_match', decision: 'true_match' },
  });
});

test('what a person confirmed through an enquiry stays confirmed at every later screening, until the entry is removed', async t => {
  const w = await screening(t, { own_database: false });
  await w.load([{ ...shipping, keys: [walletKey(address)] }]);
  const payee_id = await w.pay('Bakery Anna');
  await w.screen();
  const { screening: found } = (await w.as.post('/v1/screen', { payee_id, payee: { wallets: [{ address }] } })).body;
  t.like(found, { state: 'potential_match', matches: [{ match_type: 'address' }] });
  await w.review(found.id, 'true_match');
  await w.screen();
  t.is((await w.payee(payee_id)).screening_state, 'confirmed_match');
  const { screening: again } = (await w.as.post('/v1/screen', { payee_id })).body;
  t.like(again, { state: 'confirmed_match', score: 1, query: { name: 'Bakery Anna' } });
  t.like(again.matches[0], { entry_id: '77', match_type: 'address', decision: 'true_match', programs: ['TEST'] });
  await w.load([]);
  await w.screen();
  t.is((await w.payee(payee_id)).screening_state, 'clear', 'the entry is no longer on its list');
});

test('a confirmed payee whose later payments say another country and type stays confirmed', async t => {
  const w = await screening(t, { own_database: false });
  await w.load([{ ...shipping, countries: ['NO'], type: 'organization' }]);
  const key = 'domain:confirmed.example.com';
  const payee_id = await w.pay('Halvorsen Ocean Shiping', { key });
  await w.screen();
  const [found] = await w.screenings(`payee_id=${payee_id}`);
  await w.review(found.id, 'true_match');
  await w.db.query(sql.unsafe`
    update payees set country = 'BR', type = 'individual', name = 'Halvorsen' where id = ${payee_id}`);
  await w.db.query(sql.unsafe`update payee_screenings set due_at = first_seen_at where payee_id = ${payee_id}`);
  await w.screen();
  t.is((await w.payee(payee_id)).screening_state, 'confirmed_match');
  const [latest] = await w.screenings(`payee_id=${payee_id}`);
  t.like(latest, { state: 'confirmed_match', query: { country: 'BR' }, matches: [{ decision: 'true_match' }] });
  t.is(latest.matches[0].score, found.matches[0].score, 'as it was when it was confirmed');
});

/** Two enquiries about a payee that are both to be reviewed, beside its own screening. */
async function enquired(t: ExecutionContext) {
  const w = await suspected(t);
  const ask = async (body: object) =>
    (await w.as.post('/v1/screen', { payee_id: w.payee_id, ...body })).body.screening.id as string;
  const [same, other] = [await ask({ threshold: 0.8 }), await ask({ payee: { name: `${name} Norway` } })];
  const states = async () => {
    const read = [w.id, same, other].map(async id => (await w.as.get(`/v1/screenings/${id}`)).body.state);
    return Promise.all(read);
  };
  t.deepEqual(await states(), ['potential_match', 'potential_match', 'potential_match']);
  return { ...w, same, other, states };
}

test('a match that is confirmed is so in every other open screening of the payee, and no review of those undoes it', async t => {
  const w = await enquired(t);
  await w.review(w.same, 'true_match');
  t.deepEqual(await w.states(), ['confirmed_match', 'confirmed_match', 'confirmed_match']);
  await w.db.query(sql.unsafe`update screenings set state = 'potential_match' where id = ${w.id}`);
  await w.db.query(sql.unsafe`update screening_matches set decision = null where screening_id = ${w.id}`);
  await w.review(w.id, 'false_positive');
  t.deepEqual(await w.states(), ['confirmed_match', 'confirmed_match', 'confirmed_match']);
  await w.screen();
  t.is((await w.payee(w.payee_id)).screening_state, 'confirmed_match');
});

test('a false positive is one in the other open screenings of the same names, and the payee is through with it', async t => {
  const w = await enquired(t);
  await w.review(w.same, 'false_positive', 'a bakery');
  t.deepEqual(await w.states(), ['false_positive', 'false_positive', 'potential_match']);
  t.is((await w.payee(w.payee_id)).screening_state, 'false_positive');
  await w.screen();
  t.is((await w.payee(w.payee_id)).screening_state, 'false_positive');
});

test('what is dismissed of other names than the payee has does not touch what was dismissed of its own', async t => {
  const w = await enquired(t);
  await w.review(w.id, 'false_positive', 'a bakery');
  await w.review(w.other, 'false_positive', 'not in Norway either');
  await w.screen();
  t.is((await w.payee(w.payee_id)).screening_state, 'false_positive');
  const { screening: again } = (await w.as.post('/v1/screen', { payee_id: w.payee_id })).body;
  t.is(again.state, 'false_positive');
});

test('a review of what has changed since it was read is refused', async t => {
  const w = await suspected(t);
  const { updated_at } = (await w.as.get(`/v1/screenings/${w.id}`)).body;
  w.moveTo(w.services.now() + 1_000);
  await w.load([shipping, entry('80', name)]);
  await w.screen();
  const seen = { decision: 'false_positive', reason: 'r' };
  const { status, body } = await review(w, { ...seen, updated_at });
  t.deepEqual([status, body.error.code], [409, 'conflict']);
  t.is(body.error.message, 'The screening has changed since it was read; read it again.');
  t.is((await w.payee(w.payee_id)).screening_state, 'potential_match');
  const now = (await w.as.get(`/v1/screenings/${w.id}`)).body;
  t.is(now.matches.length, 2);
  t.is((await review(w, { ...seen, updated_at: now.updated_at })).status, 200);
  t.is((await review(w, { ...seen, updated_at })).status, 200, 'the same decision once more');
  t.is((await review(w, { ...seen, updated_at: 'yesterday' })).status, 400);
});
