import test from 'ava';
import { DAY } from '#shared/values/time.ts';
import { event } from '#test/helpers/make.ts';
import { world } from '#test/helpers/world.ts';

test('a reference that says that it is the number of an invoice is one, and no other is', async t => {
  const { as, analyze } = await world(t);
  const start = Date.now() - 40 * DAY;
  const twice = (agent: string, gap: number, first: object, second = first, more: object = {}) =>
    [first, second].map((metadata, n) =>
      event({
        agent,
        at: start + n * gap,
        cents: '48000',
        payee: 'domain:supplier.example.com',
        more: { metadata, ...more },
      }),
    );
  const none = [
    '2026-09',
    '09/2026',
    'August 2026',
    'Q3 2026',
    '480.00 USD',
    '4711220',
    'SUB-88213',
    'in_1PgafX001',
    'https://e.example.com/v2026/latest.pdf',
    'billing@team365.example',
    480.5,
    480,
    true,
    { id: 'INV-1001' },
  ];
  const events = [
    ...twice('named', 20 * DAY, { invoice: 'INV-64059' }, { invoice_id: 'inv 64059' }),
    ...twice('numbered', 20 * DAY, { invoice_number: 'INV-64059' }, { invoice_no: '64059' }),
    ...twice('behind others', 20 * DAY, { invoice: true, invoice_id: 'row-1234', bill_number: 'RE-2026-0417' }),
    ...twice('tried again', 31_000, { invoice_id: 'in_1PgafX001' }, { invoice_id: 'in_1PgagY002' }),
    ...twice(
      'described',
      20 * DAY,
      { invoice_id: 'row-100231' },
      { invoice_id: 'row-100987' },
      { description: 'Invoice 7031' },
    ),
    ...twice('two', 60_000, { invoice: 'INV-64059' }, { invoice: 'INV-64060' }),
    ...none.flatMap((invoice, n) => twice(`none ${n}`, 2 * DAY, { invoice })),
  ];
  const { body } = await as.post('/v1/events', { events });
  t.is(body.accepted, events.length, JSON.stringify(body).slice(0, 500));
  await analyze();
  const agents = (await as.get('/v1/agents?limit=100')).body.data as { id: string; external_id: string }[];
  const nameOf = new Map(agents.map(({ id, external_id }) => [id, external_id]));
  const data = (await as.get('/v1/alerts?detector=duplicate_payment')).body.data as { agent_id: string }[];
  t.deepEqual(data.map(({ agent_id }) => nameOf.get(agent_id)).toSorted(), [
    'behind others',
    'described',
    'named',
    'numbered',
    'tried again',
  ]);
});
