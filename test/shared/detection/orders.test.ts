import test from 'ava';
import { DAY, MINUTE } from '#shared/values/time.ts';
import { event } from '#test/helpers/make.ts';
import { world } from '#test/helpers/world.ts';

test('two orders of one price are two payments, unless one followed at once and never did before; one order is paid once a day', async t => {
  const { as, analyze } = await world(t);
  const start = Date.now() - 2 * DAY;
  const pay = (agent: string, minutes: number, metadata: object, more: object = {}) =>
    event({
      agent,
      at: start + minutes * MINUTE,
      cents: '24900',
      payee: 'domain:air.example.com',
      more: { metadata, ...more },
    });
  const events = [
    pay('two bookings', 1, { booking_ref: '382B3A' }),
    pay('two bookings', 8, { booking_ref: 'A4B1D0' }),
    pay('booked again at once', 1, { booking_ref: '382B3A' }),
    pay('booked again at once', 2, { booking_ref: 'A4B1D0' }),
    pay('booked for another', 1, { booking_ref: '382B3A' }),
    pay('booked for another', 2.5, { booking_ref: 'A4B1D0' }),
    pay('seats at a time', 1, { booking_ref: '382B3A' }),
    pay('seats at a time', 2, { booking_ref: 'A4B1D0' }),
    pay('seats at a time', 27 * 60, { booking_ref: 'B5C2E1' }),
    pay('seats at a time', 27 * 60 + 1, { booking_ref: 'C6D3F2' }),
    pay('one order', 1, { order_id: 'O-5429776' }),
    pay('one order', 51, { order: 'o 5429776' }),
    pay('the next day', 1, { order_id: 'O-5429776' }),
    pay('the next day', 24 * 60 + 1, { order_id: 'O-5429776' }),
    pay('no order', 1, { order_id: '000' }),
    pay('no order', 51, { order_id: '000' }),
    pay('no number', 1, { order: 'N/A' }),
    pay('no number', 51, { order: 'N/A' }),
    pay('an object', 1, { order: { item: 'A 100', count: 2 } }),
    pay('an object', 51, { order: { item: 'A 100', count: 2 } }),
    pay('other parts', 1, { order_id: '12-3' }),
    pay('other parts', 51, { order_id: '1-23' }),
    pay('other digits', 1, { order_id: '注文１２３' }),
    pay('other digits', 51, { order_id: '注文４５６' }),
    pay('an empty one first', 1, { order_id: '', order_number: 'A-100' }),
    pay('an empty one first', 8, { order_id: '', order_number: 'A-101' }),
    ...[0, 1, 2].map(seat =>
      pay('seats', 40 * seat, { booking_ref: '382B3A' }, { resource_url: `https://air.example.com/seat/${seat}` }),
    ),
  ];
  const { body } = await as.post('/v1/events', { events });
  t.is(body.accepted, events.length);
  await analyze();
  const { data } = (await as.get('/v1/alerts?detector=duplicate_payment')).body;
  const told = data.map(({ explanation }: { explanation: string }) =>
    explanation.split('. ')[0]?.replace(/\(.*?\), /, ''),
  );
  t.deepEqual(told.toSorted(), [
    'Two payments of $249.00 to air.example.com 1 min apart',
    'Two payments of $249.00 to air.example.com 1 min apart',
    'Two payments of $249.00 to air.example.com 50 min apart, for the same order',
  ]);
});

type Json = Record<string, unknown>;

test('what two holds say keeps what settles from being taken for one payment, unless the settlements say otherwise', async t => {
  const { as, analyze } = await world(t);
  const start = Date.now() - 4 * DAY;
  const stay = (agent: string, room: number, settled: Json, held: Json = { booking_ref: `382B3${room}` }) =>
    [
      { at: 0, type: 'payment.authorized', cents: '17488', more: { metadata: held } },
      { at: DAY, type: 'payment.settled', cents: '12488', more: settled },
    ].map(({ at, ...step }) =>
      event({
        agent,
        at: start + at + 3 * room * MINUTE,
        payee: 'domain:hotel.example.com',
        payment_id: `${agent.replaceAll(' ', '-')}-${room}`,
        ...step,
      }),
    );
  const rooms = (agent: string, settled: Json, held?: Json) => [1, 2].flatMap(room => stay(agent, room, settled, held));
  const one = { metadata: { booking_ref: '382B39' } };
  const named = [...rooms('said by the hold', {}), ...rooms('one booking', one), ...rooms('said by nobody', {}, {})];
  const [early, late] = [
    named.filter(({ type }) => type === 'payment.authorized'),
    named.filter(({ type }) => type === 'payment.settled'),
  ];
  // At once, and in two ranges.
  for (const part of [[...early, ...late].slice(0, -5), late.slice(-5)]) {
    await as.post('/v1/events', { events: part });
    await analyze();
  }
  const { data } = (await as.get('/v1/alerts?detector=duplicate_payment')).body;
  const { data: agents } = (await as.get('/v1/agents')).body;
  const nameOf = new Map(agents.map(({ id, external_id }: { id: string; external_id: string }) => [id, external_id]));
  t.deepEqual(data.map(({ agent_id }: { agent_id: string }) => nameOf.get(agent_id)).toSorted(), [
    'one booking',
    'said by nobody',
  ]);
});
