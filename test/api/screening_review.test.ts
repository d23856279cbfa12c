import test, { type ExecutionContext } from 'ava';
import { entry, walletKey } from '#test/helpers/lists.ts';
import { type Screened, screening, shipping } from '#test/helpers/screening.ts';

const name = shipping.name;
const address = '0x209693Bc6afc0C5328bA36FaF03C514EF312287C';

/** A payee that was paid and may be on a list, with the screening that says so. */
async function suspected(t: ExecutionContext, called = name) {
  const w = await screening(t);
  await w.load([shipping]);
  const payee_id = await w.pay(called);
  await w.analyze();
  const { body } = await w.as.post('/v1/screen', { payee_id });
  return { ...w, payee_id, id: body.screening.id as string, score: body.screening.score as number };
}

const review = (w: Screened & { id: string }, body: object) => w.as.post(`/v1/screenings/${w.id}/review`, body);

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
  const w = await screening(t);
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
  const w = await screening(t);
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
  const w = await screening(t);
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
