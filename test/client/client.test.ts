import test from 'ava';
import { alert } from '#test/helpers/alert.ts';
import { NOBODY } from '#test/helpers/routes.ts';
import { world } from '#test/helpers/world.ts';
import { caller, type SentEvent, input, through } from './calls.ts';

test('an event that was sent is found again, alone and in the list', async t => {
  const ask = through(t, await world(t));
  const sent = input({ payee_name: 'Café Zürich' });
  const { body: result } = await ask(201, 'POST /v1/events', { body: sent });
  t.is(result.status, 'accepted');
  t.is(result.chain_seq, 1);

  const { body: one } = await ask(200, 'GET /v1/events/{id}', { params: { id: sent.id } });
  t.is(one.payment.payment_id, sent.payment.payment_id);
  t.is(one.payment.amount_usd_minor, '1250');
  t.is(one.verification, null);

  const { body: page } = await ask(200, 'GET /v1/events', { query: { q: 'cafe' } });
  t.deepEqual(
    page.data.map(({ id }) => id),
    [sent.id],
  );
});

test('of a batch each event has a result of its own', async t => {
  const ask = through(t, await world(t));
  const [first, second] = [input(), input()];
  const events = [first, second, first, { ...second, description: 'other' }, { ...input(), type: 'payment.lost' }];
  const { body } = await ask(200, 'POST /v1/events', { body: { events: events as SentEvent[] } });
  if (!('results' in body)) throw new Error('a batch answers with results');
  t.deepEqual(
    body.results.map(({ index, status }) => [index, status]),
    [
      [0, 'accepted'],
      [1, 'accepted'],
      [2, 'duplicate'],
      [3, 'conflict'],
      [4, 'rejected'],
    ],
  );
  t.like(body, { accepted: 2, duplicates: 1, conflicts: 1, rejected: 1 });
  t.is(body.results[4]?.error?.details?.[0]?.path, '/events/4/type');
});

test('a filtered list is read to its end, page by page', async t => {
  const ask = through(t, await world(t));
  const events = Array.from({ length: 25 }, (_, index) => input({ rail: index % 5 === 0 ? 'x402' : 'card' }));
  await ask(200, 'POST /v1/events', { body: { events } });

  const seen: string[] = [];
  let cursor: string | undefined;
  do {
    const { body } = await ask(200, 'GET /v1/events', { query: { rail: 'card', limit: 7, cursor } });
    seen.push(...body.data.map(({ id }) => id));
    cursor = body.next_cursor ?? undefined;
  } while (cursor);
  t.deepEqual(
    seen,
    events
      .filter(({ payment }) => payment.rail === 'card')
      .map(({ id }) => id)
      .toReversed(),
  );
});

test('a poller that knows the list already is told so', async t => {
  const ask = through(t, await world(t));
  await ask(201, 'POST /v1/events', { body: input() });
  const { headers } = await ask(200, 'GET /v1/events', {});
  const known = { 'If-None-Match': headers.get('etag') ?? '' };
  await ask(304, 'GET /v1/events', {}, known);
  await ask(201, 'POST /v1/events', { body: input() });
  await ask(200, 'GET /v1/events', {}, known);
});

test('a parameter or member that no route has does not pass the type check', async t => {
  const ask = through(t, await world(t));
  const sent = input();
  const { body: result } = await ask(201, 'POST /v1/events', { body: sent });
  // @ts-expect-error The member is called chain_seq.
  t.is(result.chain_sequence, undefined);
  // @ts-expect-error The parameter is called rail.
  await ask(400, 'GET /v1/events', { query: { rails: 'card' } });
  // @ts-expect-error There is no such rail.
  await ask(400, 'GET /v1/events', { query: { rail: 'road' } });
  // @ts-expect-error An event is named by its id.
  await t.throwsAsync(ask(404, 'GET /v1/events/{id}', {}), { instanceOf: TypeError });
});

test('checking an event stores nothing', async t => {
  const ask = through(t, await world(t));
  const good = input();
  const bad = { ...input(), occurred_at: 'yesterday' };
  const { body } = await ask(200, 'POST /v1/events/validate', { body: { events: [good, bad] } });
  t.deepEqual(
    body.results.map(({ valid }) => valid),
    [true, false],
  );
  t.is(body.results[1]?.errors[0]?.path, '/events/1/occurred_at');
  await ask(404, 'GET /v1/events/{id}', { params: { id: good.id } });
});

test('a source is registered, changed, and named by an event', async t => {
  const ask = through(t, await world(t));
  const newSource = { name: 'checkout', kind: 'sdk' } as const;
  const { body: source } = await ask(201, 'POST /v1/sources', { body: newSource });
  t.like(source, { name: 'checkout', kind: 'sdk', state: 'active', description: null });

  const sourceChange = { description: 'the checkout of the shop' };
  const { body: changed } = await ask(200, 'PATCH /v1/sources/{id}', { params: { id: source.id }, body: sourceChange });
  t.is(changed.description, 'the checkout of the shop');

  const sent = { ...input(), source_id: source.id };
  await ask(201, 'POST /v1/events', { body: sent });
  t.is((await ask(200, 'GET /v1/events/{id}', { params: { id: sent.id } })).body.source_id, source.id);
  const { body: page } = await ask(200, 'GET /v1/sources', {});
  t.true(page.data.some(({ id }) => id === source.id));
});

test('a registration that is sent twice with one Idempotency-Key is done once', async t => {
  const ask = through(t, await world(t));
  const newSource = { name: 'checkout', kind: 'sdk' } as const;
  const named = { 'Idempotency-Key': 'checkout-1' };
  const first = await ask(201, 'POST /v1/sources', { body: newSource }, named);
  const again = await ask(201, 'POST /v1/sources', { body: newSource }, named);
  t.deepEqual(again.body, first.body);
  t.is(again.headers.get('idempotent-replayed'), 'true');
  const other = await ask(422, 'POST /v1/sources', { body: { ...newSource, name: 'other' } }, named);
  t.is(other.body.error.code, 'idempotency_key_reused');
});

test('an alert is found, acted on, and tells what was done', async t => {
  const here = await world(t);
  const ask = through(t, here);
  const id = await alert(here.db, here.tenant, { severity: 'high' });
  await alert(here.db, here.tenant, { severity: 'low' });
  const { body: page } = await ask(200, 'GET /v1/alerts', { query: { severity: 'high', state: 'open' } });
  t.deepEqual(
    page.data.map(found => found.id),
    [id],
  );
  const acknowledge = { params: { id }, body: { action: 'acknowledge' } } as const;
  const { body: after } = await ask(200, 'POST /v1/alerts/{id}/actions', acknowledge);
  t.is(after.state, 'acknowledged');
  t.like(after.actions[0], { action: 'acknowledge', reason: null, actor_id: here.full.id });

  t.is((await ask(409, 'POST /v1/alerts/{id}/actions', acknowledge)).body.error.code, 'invalid_transition');
  const dismiss = await ask(422, 'POST /v1/alerts/{id}/actions', { params: { id }, body: { action: 'dismiss' } });
  t.is(dismiss.body.error.code, 'reason_required');
});

test('errors come as the routes type them', async t => {
  const here = await world(t);
  const ask = through(t, here);
  const missing = await ask(404, 'GET /v1/events/{id}', { params: { id: `evt_${NOBODY}` } });
  t.is(missing.body.error.code, 'not_found');
  t.is(missing.body.request_id, missing.headers.get('request-id') ?? '');

  const malformed = await ask(400, 'GET /v1/events', { query: { cursor: 'none' } });
  t.is(malformed.body.error.details?.[0]?.path, 'query.cursor');

  const nobody = await caller(t, here.api.address, {})(401, 'GET /v1/events', {});
  t.is(nobody.body.error.code, 'unauthorized');

  const { key } = await here.key(here.tenant.org_id, ['events:write']);
  t.is((await through(t, here, key)(403, 'GET /v1/events', {})).body.error.code, 'forbidden');
});

test('a client that asks too often learns how long to wait', async t => {
  const ask = through(t, await world(t, { settings: { RATE_LIMITS: 'read=1/min' } }));
  await ask(200, 'GET /v1/events', {});
  const refused = await ask(429, 'GET /v1/events', {});
  t.is(refused.body.error.code, 'rate_limited');
  t.true(Number(refused.headers.get('retry-after')) >= 1);
});
