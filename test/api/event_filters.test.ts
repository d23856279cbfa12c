import test from 'ava';
import { newId } from '#shared/interface/ids.ts';
import { z } from 'zod';
import { moveVersions } from '#shared/interface/versions.ts';
import { positionsWithin } from '#shared/events/log/event_steps.ts';
import { sql } from '#shared/platform/db.ts';
import { statusesOfType } from '#shared/values/event_types.ts';
import { rails } from '#shared/values/rails.ts';
import { DAY, HOUR } from '#shared/values/time.ts';
import { alert } from '#test/helpers/alert.ts';
import { event } from '#test/helpers/make.ts';
import { world } from '#test/helpers/world.ts';
import { flow, noon } from '#test/shared/assessment/flow.ts';

const idsOf = (body: { data: { id: string }[] }) => body.data.map(({ id }) => id);
const perDay = {
  type: 'payment.budget',
  max: '10000',
  currency: 'USD',
  interval: 'daily',
  window: 'calendar',
  tz: 'UTC',
};

test('events are filtered by their exact amount, as people write it', async t => {
  const w = await flow(t, { start: noon });
  const sent = [
    w.pay({ at: -3 * HOUR, cents: '100' }),
    w.pay({ at: -2 * HOUR, cents: '3577' }),
    w.pay({ at: -HOUR, cents: '3577' }),
    w.pay({ at: -HOUR, cents: '3578' }),
  ];
  await w.send(sent);
  const [, wanted, alsoWanted] = sent;
  for (const amount of ['35.77', '$35.77', '35.77 USD', 'usd 35.77'])
    t.deepEqual(
      idsOf((await w.as.get(`/v1/events?amount=${encodeURIComponent(amount)}`)).body),
      [alsoWanted?.id, wanted?.id],
      amount,
    );
  t.deepEqual(idsOf((await w.as.get('/v1/events?amount=35.77%20EUR')).body), []);
  t.deepEqual(idsOf((await w.as.get('/v1/events?amount=35.77&limit=1')).body), [alsoWanted?.id]);
  const { status, body } = await w.as.get('/v1/events?amount=much');
  t.is(status, 400);
  t.is(body.error.details[0].path, 'query.amount');
});

test('events are filtered by bounds of their amount in dollars, page by page, and totaled', async t => {
  const w = await flow(t, { start: noon });
  const sent = ['100', '3500', '3577', '4000', '4001'].map(cents => w.pay({ at: -HOUR, cents }));
  await w.send(sent);
  const [, low, middle, high, above] = sent.map(({ id }) => id);
  const list = async (query: string) => idsOf((await w.as.get(`/v1/events?${query}`)).body);
  t.deepEqual(await list('amount_min=35&amount_max=40'), [high, middle, low]);
  t.deepEqual(await list(`amount_min=${encodeURIComponent('$35.01')}`), [above, high, middle]);
  t.deepEqual(await list('amount_min=35.01&q=example'), [above, high, middle]);
  t.deepEqual(await list('amount_max=0.99'), []);
  t.deepEqual(await list('amount_min=35&amount_max=40&after_seq=0'), [low, middle, high]);
  t.deepEqual(await list('amount_min=35&amount_max=40&type=payment.settled&rail=card'), [high, middle, low]);
  const first = await w.as.get('/v1/events?amount_min=35&amount_max=40&limit=2');
  t.deepEqual(idsOf(first.body), [high, middle]);
  t.deepEqual(await list(`amount_min=35&amount_max=40&limit=2&cursor=${first.body.next_cursor}`), [low]);
  t.like((await w.as.get('/v1/event-totals?amount_min=35&amount_max=40')).body, {
    events: 3,
    payments: 3,
    spend_usd_minor: '11077',
    complete: true,
  });
  const { status, body } = await w.as.get('/v1/events?amount_min=1e3');
  t.is(status, 400);
  t.is(body.error.details[0].path, 'query.amount_min');
});

test('among amounts within bounds, a page says where it stopped looking', async t => {
  const w = await flow(t, { start: noon });
  await w.send(['5000', '100', '100', '100', '100', '5000', '100'].map(cents => w.pay({ at: -HOUR, cents })));
  const walk = async (after: string | null, limit: number) => {
    const { positions, end } = await positionsWithin(w.db, w.tenant, { amount_min: '50' }, after, limit, [2, 2]);
    return { found: await w.db.anyFirst(sql.type(z.object({ chain_seq: z.int() }))`${positions}`), end };
  };
  t.deepEqual(await walk(null, 2), { found: [6], end: '4' });
  t.deepEqual(await walk('4', 2), { found: [1], end: null });
  t.deepEqual(await walk(null, 1), { found: [6], end: null });
  const nothing = { amount_min: '50', amount_max: '$49.99' };
  const { end } = await positionsWithin(w.db, w.tenant, nothing, null, 2, [2, 2]);
  t.is(end, null, 'nothing can be within bounds that have passed each other');
});

test('events are filtered by the mandate that they were evaluated against, and by what that came to', async t => {
  const w = await flow(t, { start: noon });
  const budget = await w.mandate([perDay]);
  const rails = await w.mandate([{ type: 'payment.allowed_rails', values: ['card'] }]);
  const sent = ['6000', '3000', '2000', '500'].map((cents, i) => w.pay({ at: (i - 4) * HOUR, cents }));
  await w.send(sent);
  const [first, second, third, fourth] = sent.map(({ id }) => id);
  await w.analyze();
  const list = async (query: string) => idsOf((await w.as.get(`/v1/events?${query}`)).body);
  t.deepEqual(await list(`mandate_id=${budget.id}`), [fourth, third, second, first]);
  t.deepEqual(await list(`mandate_id=${budget.id}&mandate_result=breach`), [fourth, third]);
  t.deepEqual(await list(`mandate_id=${budget.id}&mandate_result=compliant&limit=1`), [second]);
  t.deepEqual(await list(`mandate_id=${rails.id}&mandate_result=breach`), []);
  t.deepEqual(await list('mandate_result=breach'), [fourth, third]);
  t.deepEqual(await list(`mandate_id=${budget.id}&amount=20&q=${third}`), [third]);
  t.deepEqual(await list(`ids=${third},${second}&mandate_id=${budget.id}&mandate_result=breach`), [third]);
  t.deepEqual(await list(`mandate_id=${budget.id}&after_seq=0&mandate_result=breach`), [third, fourth]);
  let cursor: string | null = null;
  const paged: string[] = [];
  do {
    const { body } = await w.as.get(`/v1/events?mandate_id=${budget.id}&limit=1${cursor ? `&cursor=${cursor}` : ''}`);
    paged.push(...idsOf(body));
    cursor = body.next_cursor;
  } while (cursor);
  t.deepEqual(paged, [fourth, third, second, first]);
});

test('events are filtered by type, rail and status, by each alone and together, and beside other filters', async t => {
  const w = await world(t);
  const kinds = Object.entries(statusesOfType).flatMap(([type, statuses]) =>
    statuses.map(status => ({ type, status })),
  );
  const events = Array.from({ length: 90 }, (_, index) => {
    const options = { agent: `agent-${index % 2}`, rail: rails[(index * 5) % 3] ?? '', ...kinds[index % kinds.length] };
    return { sent: event(options), ...options };
  });
  t.is((await w.as.post('/v1/events', { events: events.map(({ sent }) => sent) })).body.accepted, events.length);
  const [agent] = (await w.as.get('/v1/agents')).body.data as { id: string; external_id: string }[];
  const some = <T>(values: readonly T[]) => [undefined, ...values];
  for (const type of some([...new Set(kinds.map(kind => kind.type))]))
    for (const rail of some(rails.slice(0, 4)))
      for (const status of some(['settled', 'partially_refunded', 'failed']))
        for (const beside of some([{ agent_id: agent?.id }, { verification: 'none' }])) {
          const filters = Object.entries({ limit: '200', type, rail, status, ...beside });
          const query = filters.flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${value}`])).join('&');
          const expected = events.filter(
            each =>
              (type ?? each.type) === each.type &&
              (rail ?? each.rail) === each.rail &&
              (status ?? each.status) === each.status &&
              (!beside?.agent_id || each.agent === agent?.external_id),
          );
          const { body } = await w.as.get(`/v1/events?${query}`);
          t.deepEqual(idsOf(body), expected.map(({ sent }) => sent.id).toReversed(), query);
        }
});

test('the events of one type that a search finds are found however far back they are', async t => {
  const w = await flow(t, { start: noon });
  const old = w.pay({ at: -DAY, cents: '100' });
  await w.send([old]);
  await w.send(Array.from({ length: 60 }, () => w.pay({ at: -HOUR, cents: '100' })));
  const { body } = await w.as.get(`/v1/events?type=payment.settled&q=${old.id}`);
  t.deepEqual(idsOf(body), [old.id]);
});

test('what a filter leaves is totaled: events, payments, and what they cost, once a payment', async t => {
  const w = await flow(t, { start: noon });
  await w.send([
    w.pay({ at: -2 * HOUR, cents: '1000', payment_id: 'p1', type: 'payment.authorized' }),
    w.pay({ at: -HOUR, cents: '1000', payment_id: 'p1' }),
    w.pay({ at: -HOUR, cents: '250' }),
    w.pay({ at: -HOUR, cents: '4000', type: 'payment.failed' }),
  ]);
  await w.analyze();
  t.deepEqual((await w.as.get('/v1/event-totals?rail=card')).body, {
    events: 4,
    payments: 3,
    spend_usd_minor: '1250',
    complete: true,
  });
  const whole = new Date(noon - 24 * HOUR).toISOString();
  t.deepEqual((await w.as.get(`/v1/event-totals?from=${whole}`)).body, {
    events: 4,
    payments: 3,
    spend_usd_minor: '1250',
    complete: true,
  });
  t.like((await w.as.get('/v1/event-totals?amount=2.50')).body, { events: 1, spend_usd_minor: '250' });
  t.is((await w.as.get('/v1/event-totals?after_seq=1')).status, 400);
});

test('totals take refunds off, and tell payments of two agents apart that have one number', async t => {
  const w = await flow(t, { start: noon });
  await w.send([
    w.pay({ at: -3 * HOUR, cents: '10000', payment_id: 'p1' }),
    w.pay({ at: -2 * HOUR, cents: '4000', payment_id: 'p1', type: 'payment.refunded', status: 'partially_refunded' }),
    w.pay({ at: -2 * HOUR, cents: '1000', payment_id: 'order-1' }),
    w.pay({ at: -2 * HOUR, cents: '2000', payment_id: 'order-1', more: { agent_id: newId('agt') } }),
  ]);
  await w.analyze();
  const totals = { events: 4, payments: 3, spend_usd_minor: '9000', complete: true };
  t.deepEqual((await w.as.get('/v1/event-totals?rail=card')).body, totals);
  t.deepEqual((await w.as.get(`/v1/event-totals?from=${new Date(noon - 24 * HOUR).toISOString()}`)).body, totals);
});

test('what arrives late is totaled by when it occurred', async t => {
  const w = await flow(t, { start: noon });
  const paid = { payment_id: 'p1', cents: '9000' };
  await w.send([w.pay({ ...paid, at: -HOUR, type: 'payment.canceled' }), w.pay({ ...paid, at: -2 * HOUR })]);
  await w.send([
    w.pay({ at: -HOUR, cents: '800', payment_id: 'p2' }),
    w.pay({ at: -2 * HOUR, cents: '500', payment_id: 'p2', type: 'payment.authorized' }),
  ]);
  await w.analyze();
  const totals = { events: 4, payments: 2, spend_usd_minor: '800', complete: true };
  t.deepEqual((await w.as.get('/v1/event-totals?rail=card')).body, totals);
  t.like((await w.as.get('/v1/event-totals?payment_id=p2')).body, { spend_usd_minor: '800' });
});

test('whoever polls the events of an alert gets those that it is linked to later', async t => {
  const w = await flow(t, { start: noon });
  const alert_id = await alert(w.db, w.tenant);
  const paths = [`/v1/events?alert_id=${alert_id}`, `/v1/event-totals?alert_id=${alert_id}`];
  const tags: (string | null)[] = [];
  const event = w.pay({ at: -HOUR, cents: '100' });
  await w.send([event]);
  await w.analyze();
  for (const path of paths) tags.push((await w.as.get(path)).headers.get('etag'));
  await w.db.query(sql.unsafe`
    insert into alert_events (org_id, environment, alert_id, chain_seq, event_id)
    values (${w.tenant.org_id}, ${w.tenant.environment}, ${alert_id}, 1, ${event.id})`);
  // As a sweep does.
  await moveVersions(w.db, w.tenant, ['alerts']);
  for (const [index, path] of paths.entries()) {
    const { status } = await w.as.send('GET', path, { headers: { 'if-none-match': tags[index] ?? '' } });
    t.is(status, 200, path);
  }
});
