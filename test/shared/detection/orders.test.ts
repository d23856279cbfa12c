import test from 'ava';
import { DAY, MINUTE } from '#shared/values/time.ts';
import { event } from '#test/helpers/make.ts';
import { world } from '#test/helpers/world.ts';

test('two orders of one price are two payments, unless one followed at once; one order is paid once a day', async t => {
  const { as, analyze } = await world(t);
  const start = Date.now() - 2 * DAY;
  const pay = (agent: string, minutes: number, metadata: object) =>
    event({ agent, at: start + minutes * MINUTE, cents: '24900', payee: 'domain:air.example.com', more: { metadata } });
  const events = [
    pay('two bookings', 1, { booking_ref: '382B3A' }),
    pay('two bookings', 8, { booking_ref: 'A4B1D0' }),
    pay('booked again at once', 1, { booking_ref: '382B3A' }),
    pay('booked again at once', 2, { booking_ref: 'A4B1D0' }),
    pay('one order', 1, { order_id: 'O-5429776' }),
    pay('one order', 51, { order: 'o 5429776' }),
    pay('the next day', 1, { order_id: 'O-5429776' }),
    pay('the next day', 24 * 60 + 1, { order_id: 'O-5429776' }),
    pay('no order', 1, { order_id: '000' }),
    pay('no order', 51, { order_id: '000' }),
  ];
  const { body } = await as.post('/v1/events', { events });
  t.is(body.accepted, events.length, JSON.stringify(body.results));
  await analyze();
  const { data } = (await as.get('/v1/alerts?detector=duplicate_payment')).body;
  const told = data.map(({ explanation }: { explanation: string }) =>
    explanation.split('. ')[0]?.replace(/\(.*?\), /, ''),
  );
  t.deepEqual(told.toSorted(), [
    'Two payments of $249.00 to air.example.com 1 min apart',
    'Two payments of $249.00 to air.example.com 50 min apart, for the same order',
  ]);
});
