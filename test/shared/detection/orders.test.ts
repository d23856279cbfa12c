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

test('what two payments refer to, and no other of the agent, is one order, whatever it is called and up to three days later', async t => {
  const { as, analyze } = await world(t);
  const start = Date.now() - 5 * DAY;
  const hours = (count: number) => count * 60 * MINUTE;
  const pay = (agent: string, at: number, metadata: object, { payee = 'desk', cents = '24900' } = {}) =>
    event({ agent, at: start + at, cents, payee: `domain:${payee}.example.com`, more: { metadata } });
  /** Payments to others, so that it is known what the agent says of each. */
  const others = (agent: string, metadata: (nth: number) => object) =>
    [1, 2, 3].map(nth =>
      pay(agent, hours(nth), metadata(nth), { payee: `other-${nth}`, cents: String(7_000 + 1_300 * nth) }),
    );
  const ticket = (nth: number) => ({ support_ticket: `T-100${nth}` });
  const campaign = () => ({ campaign: 'Q3-2026' });
  const order = (nth: number) => ({ order_id: `O-500${nth}` });
  const twice = (agent: string, metadata: object, apart: number, cents = '24900') => [
    pay(agent, hours(10), metadata, { cents }),
    pay(agent, hours(10 + apart), metadata, { cents }),
  ];
  const events = [
    ...others('one ticket', ticket),
    ...twice('one ticket', ticket(8), 5),
    ...others('one ticket, two days', ticket),
    ...twice('one ticket, two days', ticket(8), 53),
    ...others('order, a day and more', order),
    ...twice('order, a day and more', order(8), 29),
    ...others('order, the day after', order),
    ...twice('order, the day after', order(8), 24.5),
    ...others('order, too late', order),
    ...twice('order, too late', order(8), 80),
    ...others('every payment', campaign),
    ...twice('every payment', campaign(), 5),
    ...twice('nothing to go by', ticket(8), 5),
    ...others('little', ticket),
    ...twice('little', ticket(8), 5, '1900'),
    ...others('a count', nth => ({ seats: `${nth}00` })),
    ...twice('a count', { seats: '400' }, 5),
  ];
  const { body } = await as.post('/v1/events', { events });
  t.is(body.accepted, events.length);
  await analyze();
  const { data } = (await as.get('/v1/alerts?detector=duplicate_payment')).body;
  const told = data.map(({ explanation }: { explanation: string }) =>
    explanation.split('. ')[0]?.replace(/.*?\), /, ''),
  );
  t.deepEqual(told.toSorted(), [
    '2.2 d apart, with the same reference',
    '29 h apart, for the same order',
    '5 h apart, with the same reference',
  ]);
});
