import test from 'ava';
import { DAY } from '#shared/values/time.ts';
import { event } from '#test/helpers/make.ts';
import { world } from '#test/helpers/world.ts';

test('what may be an invoice is told when it is paid again within days, and is none where it names a month or an amount', async t => {
  const { as, analyze } = await world(t);
  const start = Date.now() - 40 * DAY;
  const pay = (agent: string, at: number, metadata: object, more: object = {}) =>
    event({ agent, at: start + at, cents: '48000', payee: 'domain:supplier.example.com', more: { metadata, ...more } });
  const twice = (agent: string, gap: number, first: object, second = first, more: object = {}) => [
    pay(agent, 0, first, more),
    pay(agent, gap, second, more),
  ];
  const events = [
    ...twice('invoice', 2 * DAY, { invoice: 'INV-64059' }),
    ...twice('typed', 3 * DAY, { invoice: 'INV-64059' }, { invoice: 'inv 64059' }),
    ...twice('tried again', 31_000, { invoice_id: 'in_1PgafX' }, { invoice_id: 'in_1PgagY' }),
    ...twice(
      'described',
      20 * DAY,
      { invoice_id: 'row-100231' },
      { invoice_id: 'row-100987' },
      { description: 'Invoice INV-2031' },
    ),
    ...twice('contract', 30 * DAY, { bill_id: '4711220' }),
    ...[
      '2026-09',
      '2026/9',
      480.5,
      '480.00 USD',
      'USD 480',
      '$480.00',
      'https://e.example.com/v2026/latest.pdf',
      true,
      { id: 'INV-1001' },
    ].flatMap((invoice, n) => twice(`none ${n}`, 2 * DAY, { invoice })),
  ];
  const { body } = await as.post('/v1/events', { events });
  t.is(body.accepted, events.length, JSON.stringify(body).slice(0, 500));
  await analyze();
  const agents = (await as.get('/v1/agents?limit=100')).body.data as { id: string; external_id: string }[];
  const nameOf = new Map(agents.map(({ id, external_id }) => [id, external_id]));
  const data = (await as.get('/v1/alerts?detector=duplicate_payment')).body.data as {
    agent_id: string;
    explanation: string;
  }[];
  t.deepEqual(data.map(({ agent_id }) => nameOf.get(agent_id)).toSorted(), [
    'described',
    'invoice',
    'tried again',
    'typed',
  ]);
  t.true(
    data.some(({ explanation }) => /2 d apart, for the same invoice\..* or 5 d for the same invoice/.test(explanation)),
  );
});
