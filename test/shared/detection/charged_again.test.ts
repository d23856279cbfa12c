import test, { type ExecutionContext } from 'ava';
import { DAY } from '#shared/values/time.ts';
import { event } from '#test/helpers/make.ts';
import { world } from '#test/helpers/world.ts';

const start = Date.now() - 110 * DAY;

type Charge = { day: number; cents?: string; id?: string; type?: string; more?: { metadata: object } };

const charges = (agent: string, list: readonly (number | Charge)[]) =>
  list.map(each => {
    const { day, cents = '41600', id, type, more } = typeof each === 'number' ? { day: each } : each;
    return event({
      agent,
      at: start + day * DAY,
      cents,
      payee: `domain:${agent.replaceAll(' ', '-')}.example.com`,
      ...(id && { payment_id: id }),
      ...(type && { type }),
      ...(more && { more }),
    });
  });

async function toldOf(t: ExecutionContext, events: object[], limit: number): Promise<string[]> {
  const { as, analyze } = await world(t);
  const { body } = await as.post('/v1/events', { events });
  t.is(body.accepted, events.length, JSON.stringify(body.results));
  await analyze({ limit });
  const { data } = (await as.get('/v1/alerts?detector=duplicate_payment')).body;
  return data.map((alert: { title: string; explanation: string }) => `${alert.title}. ${alert.explanation}`);
}

test('a subscription that is charged again within days is told once, however the log is cut', async t => {
  const events = [
    ...charges('monthly', [1, 31, { day: 62, id: 'third' }, { day: 65, id: 'again' }, 92]),
    ...charges('held', [
      2,
      30,
      { day: 33, id: 'again', type: 'payment.authorized' },
      { day: 34, id: 'again', type: 'payment.settled' },
    ]),
  ];
  for (const limit of [1, 3, 1_000]) {
    const told = await toldOf(t, events, limit);
    t.is(told.length, 2, told.join('\n'));
    const [held = '', monthly = ''] = told.toSorted();
    t.regex(held, /^Paid held.* \$416\.00 twice within a month.*again 3 d after .* Before, it got 2 payments of/);
    t.regex(monthly, /^Paid monthly.*again 3 d after .*\(third and again\)\. Before, it got 3 payments of \$416\.00,/);
  }
});

test('what is no subscription, or charged for something else, is not told', async t => {
  const quiet: Record<string, object[]> = {
    'once before': charges('once', [1, 4]),
    'twice a month': charges('half', [1, 16, 31, 34]),
    'a new day of the month': charges('moved', [1, 31, 61, 75]),
    'other sums too': charges('wide', [1, 31, { day: 40, cents: '1200' }, 61, 64]),
    cents: charges(
      'cents',
      [1, 31, 61, 64].map(day => ({ day, cents: '900' })),
    ),
    'another invoice': charges(
      'invoices',
      [1, 31, 61, 64].map(day => ({ day, more: { metadata: { invoice_number: `INV-${5_000 + day}` } } })),
    ),
    'another seat': charges(
      'seats',
      [1, 31, 61, 64].map(day => ({ day, more: { metadata: { seat: `seat-${100 + (day === 64 ? 2 : 1)}` } } })),
    ),
    'it was given back': charges('given', [
      1,
      31,
      { day: 61, id: 'given' },
      { day: 62, id: 'given', type: 'payment.refunded' },
      64,
    ]),
  };
  for (const [what, events] of Object.entries(quiet)) t.deepEqual(await toldOf(t, events, 1_000), [], what);
});
