import test from 'ava';
import { HOUR, MINUTE } from '#shared/values/time.ts';
import { event } from '#test/helpers/make.ts';
import { world } from '#test/helpers/world.ts';

const start = Date.now() - 48 * HOUR;
type Sent = { type: string; payment: Record<string, unknown> };
const statusOf = { settled: 'settled', authorized: 'authorized', canceled: 'canceled', refunded: 'refunded' } as const;
const report = (payment_id: string, what: keyof typeof statusOf, minutes: number, cents = '10000', payee = 'shop') => {
  const made = event({
    agent: 'buyer',
    at: start + minutes * MINUTE,
    cents,
    payee: `domain:${payee}.example.com`,
  }) as unknown as Sent;
  return { ...made, type: `payment.${what}`, payment: { ...made.payment, payment_id, status: statusOf[what] } };
};

test('what is reported later of a payment is said on the alerts that it takes the ground from, however the log is cut', async t => {
  const events = [
    report('pay_1', 'authorized', 0),
    report('pay_2', 'authorized', 5),
    report('pay_3', 'settled', 0, '20000', 'other'),
    report('pay_4', 'settled', 5, '20000', 'other'),
    report('pay_5', 'authorized', 0, '30000', 'third'),
    report('pay_5', 'settled', 9, '40000', 'third'),
    report('pay_1', 'canceled', 3),
    report('pay_4', 'refunded', 60, '20000', 'other'),
    report('pay_5', 'authorized', 8, '40000', 'third'),
    report('pay_6', 'canceled', 90),
    report('pay_7', 'settled', 0, '50000', 'fourth'),
    report('pay_7', 'authorized', 0, '50000', 'fourth'),
    report('pay_7', 'settled', 9, '60000', 'fourth'),
    report('pay_8', 'settled', 0, '7000', 'fifth'),
    report('pay_9', 'refunded', 6, '7000', 'fifth'),
    report('pay_9', 'settled', 5, '7000', 'fifth'),
  ];
  for (const limit of [100, 1]) {
    const { as, analyze } = await world(t);
    const { body } = await as.post('/v1/events', { events });
    t.is(body.accepted, events.length, JSON.stringify(body.results));
    await analyze({ limit });
    const { data } = (await as.get('/v1/alerts')).body;
    const commented = async ({ id, title }: { id: string; title: string }) => {
      const { actions } = (await as.get(`/v1/alerts/${id}`)).body;
      return [title, ...actions.map(({ reason, actor_id }: Record<string, unknown>) => [reason, actor_id])];
    };
    const told = await Promise.all(data.map(commented));
    t.deepEqual(told.toSorted(), [
      [
        '$400.00 settled to third.example.com, $300.00 authorized',
        ['By what was reported later, what was settled for pay_5 had been authorized.', null],
      ],
      ['$600.00 settled to fourth.example.com, $500.00 authorized'],
      ['A payment to fourth.example.com was settled for two amounts'],
      ['Paid other.example.com $200.00 twice', ['By what was reported later, pay_4 was refunded.', null]],
      ['Paid shop.example.com $100.00 twice', ['By what was reported later, pay_1 was canceled.', null]],
    ]);
  }
});
