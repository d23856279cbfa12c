import { readFileSync } from 'node:fs';
import test from 'ava';
import { alert } from '#test/helpers/alert.ts';
import { NOBODY } from '#test/helpers/routes.ts';
import { world } from '#test/helpers/world.ts';
import { expect, input, through } from './calls.ts';
import { generateClient } from '#api/client/generate.ts';
import * as client from '#api/client/generated.ts';

test('the committed client is the one that the description gives', async t => {
  t.is(readFileSync('api/client/generated.ts', 'utf8'), await generateClient(), 'run npm run client');
});

test('an event that was sent is found again, alone and in the list', async t => {
  const to = through(await world(t));
  const sent = input({ payee_name: 'Café Zürich' });
  const { data: result } = expect(201, await client.sendEvents({ body: sent }, to));
  t.is(result.status, 'accepted');
  t.is(result.chain_seq, 1);

  const { data: one } = expect(200, await client.getEvent({ id: sent.id }, to));
  t.is(one.payment.payment_id, sent.payment.payment_id);
  t.is(one.payment.amount_usd_minor, '1250');
  t.is(one.verification, null);

  const { data: page } = expect(200, await client.listEvents({ q: 'cafe' }, to));
  t.deepEqual(
    page.data.map(({ id }) => id),
    [sent.id],
  );
});

test('of a batch each event has a result of its own', async t => {
  const to = through(await world(t));
  const [first, second] = [input(), input()];
  const events = [first, second, first, { ...second, description: 'other' }, { ...input(), type: 'payment.lost' }];
  const { data } = expect(200, await client.sendEvents({ body: { events: events as client.EventInput[] } }, to));
  if (!('results' in data)) throw new Error('a batch answers with results');
  t.deepEqual(
    data.results.map(({ index, status }) => [index, status]),
    [
      [0, 'accepted'],
      [1, 'accepted'],
      [2, 'duplicate'],
      [3, 'conflict'],
      [4, 'rejected'],
    ],
  );
  t.like(data, { accepted: 2, duplicates: 1, conflicts: 1, rejected: 1 });
  t.is(data.results[4]?.error?.details?.[0]?.path, '/events/4/type');
});

test('a filtered list is read to its end, page by page', async t => {
  const to = through(await world(t));
  const events = Array.from({ length: 25 }, (_, index) => input({ rail: index % 5 === 0 ? 'x402' : 'card' }));
  expect(200, await client.sendEvents({ body: { events } }, to));

  const seen: string[] = [];
  let cursor: string | undefined;
  do {
    const { data } = expect(200, await client.listEvents({ rail: 'card', limit: 7, cursor }, to));
    seen.push(...data.data.map(({ id }) => id));
    cursor = data.next_cursor ?? undefined;
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
  const to = through(await world(t));
  expect(201, await client.sendEvents({ body: input() }, to));
  const { headers } = expect(200, await client.listEvents({}, to));
  const ifNoneMatch = headers.get('etag') ?? '';
  t.is((await client.listEvents({ ifNoneMatch }, to)).status, 304);
  expect(201, await client.sendEvents({ body: input() }, to));
  t.is((await client.listEvents({ ifNoneMatch }, to)).status, 200);
});

test('checking an event stores nothing', async t => {
  const to = through(await world(t));
  const good = input();
  const bad = { ...input(), occurred_at: 'yesterday' };
  const { data } = expect(200, await client.validateEvents({ body: { events: [good, bad] } }, to));
  t.deepEqual(
    data.results.map(({ valid }) => valid),
    [true, false],
  );
  t.is(data.results[1]?.errors[0]?.path, '/events/1/occurred_at');
  t.is((await client.getEvent({ id: good.id }, to)).status, 404);
});

test('a source is registered, changed, and named by an event', async t => {
  const to = through(await world(t));
  const newSource: client.NewSource = { name: 'checkout', kind: 'sdk' };
  const { data: source } = expect(201, await client.createSource({ newSource }, to));
  t.like(source, { name: 'checkout', kind: 'sdk', state: 'active', description: null });

  const sourceChange: client.SourceChange = { description: 'the checkout of the shop' };
  const { data: changed } = expect(200, await client.changeSource({ id: source.id, sourceChange }, to));
  t.is(changed.description, 'the checkout of the shop');

  const sent = { ...input(), source_id: source.id };
  expect(201, await client.sendEvents({ body: sent }, to));
  t.is(expect(200, await client.getEvent({ id: sent.id }, to)).data.source_id, source.id);
  const { data: page } = expect(200, await client.listSources({}, to));
  t.true(page.data.some(({ id }) => id === source.id));
});

test('a registration that is sent twice with one Idempotency-Key is done once', async t => {
  const to = through(await world(t));
  const newSource: client.NewSource = { name: 'checkout', kind: 'sdk' };
  const idempotencyKey = 'checkout-1';
  const first = expect(201, await client.createSource({ newSource, idempotencyKey }, to));
  const again = expect(201, await client.createSource({ newSource, idempotencyKey }, to));
  t.deepEqual(again.data, first.data);
  t.is(again.headers.get('idempotent-replayed'), 'true');
  const other = await client.createSource({ newSource: { ...newSource, name: 'other' }, idempotencyKey }, to);
  t.is(expect(422, other).data.error.code, 'idempotency_key_reused');
});

test('an alert is found, acted on, and tells what was done', async t => {
  const here = await world(t);
  const to = through(here);
  const id = await alert(here.db, here.tenant, { severity: 'high' });
  await alert(here.db, here.tenant, { severity: 'low' });
  const { data: page } = expect(200, await client.listAlerts({ severity: 'high', state: 'open' }, to));
  t.deepEqual(
    page.data.map(found => found.id),
    [id],
  );
  const acknowledge = { id, newAlertAction: { action: 'acknowledge' as const } };
  const { data: after } = expect(200, await client.actOnAlert(acknowledge, to));
  t.is(after.state, 'acknowledged');
  t.like(after.actions[0], { action: 'acknowledge', reason: null, actor_id: here.full.id });

  t.is(expect(409, await client.actOnAlert(acknowledge, to)).data.error.code, 'invalid_transition');
  const dismiss = await client.actOnAlert({ id, newAlertAction: { action: 'dismiss' } }, to);
  t.is(expect(422, dismiss).data.error.code, 'reason_required');
});

test('errors come as the description types them', async t => {
  const here = await world(t);
  const to = through(here);
  const missing = expect(404, await client.getEvent({ id: `evt_${NOBODY}` }, to));
  t.is(missing.data.error.code, 'not_found');
  t.is(missing.data.request_id, missing.headers.get('request-id') ?? '');

  const malformed = expect(400, await client.listEvents({ cursor: 'none' }, to));
  t.is(malformed.data.error.details?.[0]?.path, 'query.cursor');

  const nobody = await client.listEvents({}, { baseUrl: here.api.address });
  t.is(expect(401, nobody).data.error.code, 'unauthorized');

  const { key } = await here.key(here.tenant.org_id, ['events:write']);
  t.is(expect(403, await client.listEvents({}, through(here, key))).data.error.code, 'forbidden');
});

test('a client that asks too often learns how long to wait', async t => {
  const to = through(await world(t, { settings: { RATE_LIMITS: 'read=1/min' } }));
  expect(200, await client.listEvents({}, to));
  const refused = expect(429, await client.listEvents({}, to));
  t.is(refused.data.error.code, 'rate_limited');
  t.true(Number(refused.headers.get('retry-after')) >= 1);
});
