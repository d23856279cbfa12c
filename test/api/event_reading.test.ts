import test from 'ava';
import { alert } from '#test/helpers/alert.ts';
import { event, eventId } from '#test/helpers/make.ts';
import { world } from '#test/helpers/world.ts';

test('events are listed with every field of the interface', async t => {
  const { as } = await world(t);
  const sent = event({ payee_name: 'Schöne Läden', more: { evidence: [{ kind: 'acme.note', value: 'as agreed' }] } });
  await as.post('/v1/events', sent);
  const { body } = await as.get('/v1/events');
  const [item] = body.data;
  t.deepEqual(Object.keys(item).toSorted(), [
    'agent_id',
    'chain_seq',
    'environment',
    'evidence_count',
    'id',
    'mandate_evaluation',
    'occurred_at',
    'owner_id',
    'payee_id',
    'payment',
    'received_at',
    'source_id',
    'type',
    'usd_rate',
    'verification',
  ]);
  t.like(item, {
    id: sent.id,
    environment: 'sandbox',
    evidence_count: 1,
    verification: null,
    mandate_evaluation: null,
  });
  t.deepEqual(item.payment.amount, { value: '1250', unit: 'minor', currency: 'USD' });
  t.is(item.payment.amount_usd_minor, '1250');
  t.is(item.payment.payee.name, 'Schöne Läden');
});

test('one event is read with its evidence values and when it was analyzed', async t => {
  const { as, analyze } = await world(t);
  const sent = event({
    more: {
      evidence: [
        { kind: 'acme.note', value: 'as agreed' },
        { kind: 'acme.terms', value: { cap: 3 } },
      ],
      metadata: { order: 7 },
    },
  });
  await as.post('/v1/events', sent);
  const before = await as.get(`/v1/events/${sent.id}`);
  t.is(before.body.analyzed_at, null);
  t.deepEqual(
    before.body.evidence.map((item: { value: unknown }) => item.value),
    ['as agreed', { cap: 3 }],
  );
  t.deepEqual(before.body.metadata, { order: 7 });
  await analyze();
  const after = await as.get(`/v1/events/${sent.id.toLowerCase()}`);
  t.regex(after.body.analyzed_at, /^\d{4}-.*Z$/);
});

test('every filter narrows the list, and an unknown but well-formed id gives an empty page', async t => {
  const { as } = await world(t);
  const at = Date.now() - 3_600_000;
  await as.post('/v1/events', {
    events: [
      event({ at, agent: 'a', rail: 'card' }),
      event({ at: at + 1000, agent: 'b', rail: 'sepa', type: 'payment.failed', payee: 'domain:other.example.com' }),
    ],
  });
  const { body: all } = await as.get('/v1/events');
  const [second, first] = all.data;
  const found = async (query: string) => {
    const { status, body } = await as.get(`/v1/events?${query}`);
    t.is(status, 200, query);
    return body.data.map((item: { id: string }) => item.id);
  };
  t.deepEqual(await found(`agent_id=${first.agent_id}`), [first.id]);
  t.deepEqual(await found(`owner_id=${first.owner_id}`), [second.id, first.id]);
  t.deepEqual(await found(`payee_id=${second.payee_id}`), [second.id]);
  t.deepEqual(await found('rail=sepa'), [second.id]);
  t.deepEqual(await found('status=settled'), [first.id]);
  t.deepEqual(await found('verification=none'), [second.id, first.id]);
  t.deepEqual(await found('verification=verified'), []);
  t.deepEqual(await found(`from=${second.occurred_at}`), [second.id]);
  t.deepEqual(await found(`to=${second.occurred_at}`), [first.id]);
  t.deepEqual(await found(`agent_id=agt_${eventId(1).slice(4)}`), []);
  t.deepEqual(await found(`agent_id=${first.agent_id.toLowerCase()}&rail=card&status=settled`), [first.id]);
});

test('q finds by exact event, payment and agent id, and by part of payee name, payee key and agent name', async t => {
  const { as } = await world(t);
  const cafe = event({
    payee: 'domain:cafe.example.com',
    payee_name: 'Café Zürich',
    payment_id: 'order-77',
    more: { agent: { external_id: 'x', name: 'Ünser Bot' } },
  });
  await as.post('/v1/events', {
    events: [
      cafe,
      event({ payee: 'domain:a.example.com', payee_name: '100 % Shop' }),
      event({ payee: 'domain:b.example.com', payee_name: 'under_score' }),
    ],
  });
  const found = async (q: string) =>
    (await as.get(`/v1/events?q=${encodeURIComponent(q)}`)).body.data.map((item: { id: string }) => item.id);
  const { body } = await as.get(`/v1/events/${cafe.id}`);
  for (const q of [
    cafe.id,
    cafe.id.toLowerCase(),
    'order-77',
    body.agent_id,
    'cafe zurich',
    'FÉ ZÜ',
    'cafe.example',
    'unser b',
  ]) {
    t.deepEqual(await found(q), [cafe.id], q);
  }
  t.deepEqual(await found('order-7'), []);
  t.is((await found('100 %')).length, 1);
  t.is((await found('r_s')).length, 1);
  t.deepEqual(await found('%%'), []);
  t.is((await found('sh')).length, 1);
});

test('the events of an alert are read in one request, whatever else is asked of them', async t => {
  const { as, db, tenant } = await world(t);
  const [first, other, last] = [event(), event(), event()];
  for (const each of [first, other, last]) await as.post('/v1/events', each);
  const linked = [
    { id: first.id, chain_seq: 1 },
    { id: last.id, chain_seq: 3 },
  ];
  const alert_id = await alert(db, tenant, { events: linked });
  const idsOf = async (more = '') =>
    (await as.get(`/v1/events?alert_id=${alert_id}${more}`)).body.data.map(({ id }: { id: string }) => id);
  t.deepEqual(await idsOf(), [last.id, first.id]);
  t.deepEqual(await idsOf('&verification=none'), [last.id, first.id]);
  t.deepEqual(await idsOf('&verification=failed'), []);
  t.deepEqual(await idsOf(`&q=${first.id}`), [first.id]);
});
