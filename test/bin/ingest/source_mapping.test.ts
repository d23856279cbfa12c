import test from 'ava';
import { type Mapping, parseMapping } from '#bin/admin/ingest/mapping.ts';
import { stripe, stripeEvent } from '#test/helpers/psp.ts';
import { readInput } from '#test/helpers/read_input.ts';

const STRIPE = '{"psp_scheme": "stripe", "psp_config": {"default_agent": "a", "default_owner": "o"}}';
const ofSource = parseMapping(
  JSON.stringify({
    name: 'Till',
    kind: 'psp_webhook',
    psp_config: {
      service: 'acme',
      default_owner: 'team-1',
      mapping: {
        event_id: '/id',
        type: { pointer: '/state', values: { PAID: 'payment.settled' } },
        payment_id: '/order',
        agent: '/agent',
        payee: '/merchant',
        amount: { pointer: '/amount', as: 'decimal' },
        currency: { value: 'EUR' },
        rail: { value: 'card' },
        occurred_at: '/when',
      },
    },
  }),
  'source.json',
);

test('a file is read as a source reads its webhooks, CSV and JSON alike', async t => {
  const rows = [
    {
      id: 'n1',
      state: 'PAID',
      when: '2026-11-20T10:15:30Z',
      agent: 'a1',
      order: 'o1',
      amount: '12.30',
      merchant: 'm1',
    },
    { id: 'n2', state: 'MOVED', when: '2026-11-20T10:15:31Z', agent: 'a1', order: 'o1', amount: '1', merchant: 'm1' },
    { id: 'n3', state: 'PAID', when: '', agent: 'a1', order: 'o2', amount: 'x', merchant: 'm1' },
  ];
  const csv = [Object.keys(rows[0] ?? {}), ...rows.map(row => Object.values(row))]
    .map(cells => cells.join())
    .join('\n');
  const inputs = [csv, rows.map(row => JSON.stringify(row)).join('\n'), JSON.stringify(rows, null, 2)];
  const read = await Promise.all(inputs.map(input => readInput(input, { mapping: ofSource })));
  t.regex((await readInput('id,state\n', { mapping: ofSource })).broke ?? '', /the column order, which there is not/);
  for (const { items, broke } of read) {
    t.is(broke, null);
    t.deepEqual(
      items.map(({ refused }) => refused?.details?.map(({ code }) => code) ?? refused?.message ?? null),
      [
        null,
        'It is of no payment, or of a type that the mapping does not translate (psp_config.mapping.type).',
        ['unreadable_amount', 'no_occurred_at', 'no_amount'],
      ],
    );
    t.is(items[0]?.json, read[0]?.items[0]?.json);
  }
  const { id, ...event } = JSON.parse(read[0]?.items[0]?.json ?? '{}') as { id: string };
  t.regex(id, /^evt_/);
  t.deepEqual(event as object, {
    type: 'payment.settled',
    occurred_at: '2026-11-20T10:15:30.000Z',
    agent: { external_id: 'a1' },
    owner: { external_id: 'team-1' },
    payment: {
      payment_id: 'o1',
      rail: 'card',
      status: 'settled',
      amount: { value: '1230', unit: 'minor', currency: 'EUR' },
      payee: { key: 'merchant:acme:m1', type: 'merchant' },
    },
  });
});

test('webhooks of Stripe that were kept in a file become the events that they would have become', async t => {
  const mapping = parseMapping(STRIPE, 'm');
  const told = stripeEvent('payment_intent.succeeded', stripe.intent());
  const { items } = await readInput([told, told, { object: 'event' }, 7].map(each => JSON.stringify(each)).join('\n'), {
    mapping,
  });
  const [first, again] = items;
  t.like(JSON.parse(first?.json ?? ''), {
    type: 'payment.settled',
    payment: { payee: { key: 'merchant:stripe:self' } },
  });
  t.is(first?.json, again?.json);
  t.deepEqual(
    items.map(({ refused }) => refused?.code ?? null),
    [null, null, 'invalid_request', 'malformed_json'],
  );
});

test('what JSON says of an amount is read digit by digit, and what two readers would understand differently is refused', async t => {
  const object = (amount: string) =>
    `{"id":"1","state":"PAID","order":"o","agent":"a","merchant":"m","when":"2026-11-20T10:15:30Z","amount":${amount}}`;
  const { items } = await readInput(['90071992547409.93', '1.50,"amount":2', '[1'].map(object).join('\n'), {
    mapping: ofSource,
  });
  t.is(JSON.parse(items[0]?.json ?? '').payment.amount.value, '9007199254740993');
  t.deepEqual(
    items.slice(1).map(({ refused, source }) => [refused?.code, source && 'text' in source]),
    [
      ['malformed_json', true],
      ['malformed_json', true],
    ],
  );
});

test('one notice has one id, and two payments have two', async t => {
  const idsOf = async (mapping: Mapping, objects: object[]) => {
    const { items } = await readInput(objects.map(each => JSON.stringify(each)).join('\n'), { mapping });
    return items.map(({ json, refused }) => JSON.parse(json || '{}').id ?? refused?.message);
  };
  const stripeMapping = parseMapping(STRIPE, 'm');
  const dispute = (type: string, amount: number) =>
    stripeEvent(`charge.dispute.${type}`, stripe.dispute({ amount }), { id: `evt_${type}` });
  const told = await idsOf(stripeMapping, [dispute('created', 500), dispute('updated', 400), dispute('closed', 500)]);
  t.is(new Set(told).size, 1, told.join());
  const row = { id: 'cus_1', state: 'PAID', agent: 'a', merchant: 'm', amount: '5', when: '2026-11-20T00:00:00Z' };
  const paid = await idsOf(
    ofSource,
    ['o1', 'o2', 'o1'].map(order => ({ ...row, order })),
  );
  t.is(new Set(paid).size, 2);
});
