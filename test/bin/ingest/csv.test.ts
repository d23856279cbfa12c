import test from 'ava';
import { decodeTime } from 'ulid';
import { parseMapping } from '#bin/admin/ingest/mapping.ts';
import { readInput } from '#test/helpers/read_input.ts';

const mapping = parseMapping(
  JSON.stringify({
    type: { column: 'state', values: { PAID: 'payment.settled', REFUNDED: 'payment.refunded' } },
    occurred_at: { text: '{when}Z' },
    'agent.external_id': 'agent',
    'payment.payment_id': 'order',
    'payment.amount.value': { column: 'amount', as: 'decimal' },
    'payment.amount.unit': { value: 'minor' },
    'payment.amount.currency': 'currency',
    'payment.payee.key': { text: 'merchant:shop:{merchant}' },
    'context.attempt': 'attempt',
    'context.human_present': { value: false },
  }),
  'map.json',
);
const header = 'state,when,agent,order,amount,currency,merchant,attempt';

test('rows of a CSV file become events as the mapping says', async t => {
  const { items, broke } = await readInput(`${header}\r\nPAID,2026-11-20 10:15:30,"a ""b"", c",7,12.30,USD,m1,2\r\n`, {
    mapping,
  });
  t.is(broke, null);
  const { id, ...event } = JSON.parse(items[0]?.json ?? '{}') as { id: string };
  t.is(decodeTime(id.slice(4)), Date.parse('2026-11-20T10:15:30Z'));
  t.deepEqual(event as object, {
    type: 'payment.settled',
    occurred_at: '2026-11-20T10:15:30Z',
    agent: { external_id: 'a "b", c' },
    payment: {
      payment_id: '7',
      amount: { value: '1230', unit: 'minor', currency: 'USD' },
      payee: { key: 'merchant:shop:m1' },
    },
    context: { attempt: 2, human_present: false },
  });
  t.is(items[0]?.agent, 'a "b", c');
});

test('decimal amounts become whole minor units of their currency, exactly or not at all', async t => {
  for (const [amount, currency, value] of [
    ['0.1', 'USD', '10'],
    ['90071992547409931.27', 'EUR', '9007199254740993127'],
    ['12.300', 'USD', '1230'],
    ['500', 'JPY', '500'],
    ['1.5', 'KWD', '1500'],
    ['0', 'USD', '0'],
    ['12.345', 'USD', null],
    ['1.5', 'JPY', null],
    ['-3', 'USD', null],
    ['1,5', 'USD', null],
    ['1e3', 'USD', null],
    ['5', 'XXX', null],
  ] as const) {
    const { items } = await readInput(`${header}\nPAID,2026-11-20 10:15:30,a,7,"${amount}",${currency},m,1`, {
      mapping,
    });
    if (value === null) t.is(items[0]?.refused?.details?.[0]?.path, '/payment/amount/value', amount);
    else
      t.is(
        (JSON.parse(items[0]?.json ?? '{}') as { payment: { amount: { value: string } } }).payment.amount.value,
        value,
      );
  }
});

test('a row that is not sound is refused with its line, and takes no other with it', async t => {
  const rows = [
    'PAID,2026-11-20 10:15:30,a,1,1,USD,m,1',
    'PAID,x,"a\nb",2,1,USD,m,1',
    'PAID,"a"b',
    'too,short',
    'OPEN,x,a,3,1,USD,m,1',
    '"',
  ];
  const { items } = await readInput(`${header}\n${[...rows, 'one', rows[0]].join('\n')}\n`, { mapping });
  t.is(items[6]?.refused?.message, 'The row has 1 cell; the header has 8.');
  t.deepEqual(
    items.map(({ line, refused }) => [line, refused?.code ?? null]),
    [
      [2, null],
      [3, null],
      [5, 'malformed_csv'],
      [6, 'malformed_csv'],
      [7, 'invalid_request'],
      [8, 'malformed_csv'],
      [9, 'malformed_csv'],
      [10, null],
    ],
  );
});

test('without a mapping the columns that are named like places are those, with semicolons and tabs, too', async t => {
  for (const delimiter of [',', ';', '\t']) {
    const rows = [
      ['id', 'agent.external_id', 'note'],
      ['evt_1', 'a', 'x'],
    ].map(cells => cells.join(delimiter));
    const { items } = await readInput(rows.join('\n'));
    t.deepEqual(JSON.parse(items[0]?.json ?? '{}'), { id: 'evt_1', agent: { external_id: 'a' } });
  }
});

test('a header that names two columns alike is refused, and columns without a name are not', async t => {
  const { items, broke } = await readInput('order,order,paid_at\n1,2,x\n', {
    mapping: { 'payment.payment_id': 'order' },
  });
  t.deepEqual(items, []);
  t.is(broke, 'The header of standard input names the column order twice: give each column a name of its own.');
  t.is((await readInput('order,,\n1,,\n', { mapping: { 'payment.payment_id': 'order' } })).items.length, 1);
});

test('a mapping that is not sound is refused with its place', async t => {
  const place = (text: string) => t.throws(() => parseMapping(text, 'map.json'))?.message ?? '';
  t.regex(place('{'), /not JSON/);
  t.regex(place('{"type":{"colum":"x"}}'), /at \/type/);
  for (const [source, reason] of [
    ['{"column":"x","as":"decimla"}', 'a.b.as must be decimal. It was "decimla"; send "decimal".'],
    ['{"column":"x","values":{"a":1}}', 'a.b.values.a must be a string. It was 1.'],
    ['{"text":"x","as":"decimal"}', 'a.b.as is not a known member; check its spelling or leave it out.'],
    ['{"value":[]}', 'a.b.value must be a string, a number, or true or false. It was an array of 0.'],
    ['7', 'a.b must be the name of a column, or an object with column, value or text. It was 7.'],
  ] as const)
    t.true(place(`{"a.b":${source}}`).endsWith(`: ${reason}`), place(`{"a.b":${source}}`));
  t.regex(place('null'), /at its top: The value must be an object/);
  t.regex(
    (await readInput(`${header}\n`, { mapping: { 'payment.amout': 'amount' } })).broke ?? '',
    /payment\.amout is no place/,
  );
  t.regex((await readInput(`${header}\n`, { mapping: { evidence: 'amount' } })).broke ?? '', /evidence is no place/);
  t.regex(
    (await readInput(`${header}\n`, { mapping: { type: 'kind' } })).broke ?? '',
    /the column kind, which there is not/,
  );
});
