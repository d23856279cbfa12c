import test from 'ava';
import { areOneInvoice, invoiceIn, invoiceNumber, partIn, purposeOf } from '#shared/detection/model/purpose.ts';
import { namedApart, referencesOf } from '#shared/detection/model/references.ts';
import { DAY, MINUTE } from '#shared/values/time.ts';
import { event } from '#test/helpers/make.ts';
import { world } from '#test/helpers/world.ts';

for (const [description, number] of [
  ['Invoice INV-2031', '2031'],
  ['inv. no. 4831, due in 14 days', '4831'],
  ['Rechnung Nr. RE2026/0417.', '2026-417'],
  ['INVOICE#00012', '12'],
  ['Invoice for hosting', null],
  ['Invoice 2026 for hosting', null],
  ['Invoice 500 USD', null],
  ['INV-4831, installment 1 of 3', '4831'],
  ['INV-4831, last installment', null],
  ['Invoice INV-4831 (2 of 2)', '4831'],
  ['50 % deposit, invoice 4831', null],
  ['Invoice 4831 1/2', null],
  ['Facture 12', null],
  ['Billing account 4711', null],
  ['Order 4711', null],
] as const)
  test(`the invoice in “${description}”: ${number ?? 'none'}`, t => t.is(invoiceIn(description), number));

for (const [description, part] of [
  ['Milestone 1 of 2', '1'],
  ['Release of part #2', '2'],
  ['installment no. 02', '2'],
  ['Top-up, attempt 2 of 3', null],
  ['Ledger of 28/11/2026, 24/7', null],
  ['Counterpart 2', null],
  ['part 2.5', null],
  ['Order 4711', null],
  ['5000 of 80000 tokens', null],
  ['Invoice INV-4095 (2 of 2)', '2'],
  ['Rechnung 4095 (1/2)', '1'],
  ['Hotel, night 3 of 4', '3'],
  ['Attempt (2 of 3)', null],
  ['Order 77, attempt no. 2 of 3', null],
  ['2 of 3 tries', null],
  ['Versuch Nr. 2 von 3', null],
  ['tentative 2 sur 3', null],
  ['Invoice 4095, reminder 2 of 3', null],
  ['1 of 2.5 t', null],
  ['2 of 12.11.2026', null],
  ['3 of 2', null],
] as const)
  test(`the part in “${description}”: ${part ?? 'none'}`, t => t.is(partIn(description), part));

for (const [a, b, are_two] of [
  ['Hamlet, seat 1', 'Hamlet, seat 2', true],
  ['Ticket A', 'Ticket B', true],
  ['Truck 12, toll', 'Truck 14, toll', true],
  ['Hamlet, seat 1', 'Hamlet, seat 1', false],
  ['Hamlet, seat 1', 'Macbeth, seat 2', false],
  ['Attempt 1', 'Attempt 2', false],
  ['At 12:01', 'At 12:02', false],
  ['Order 48213', 'Order 48214', false],
  ['Lunch', 'Lunch', false],
  ['$12 for lunch', '$13 for lunch', false],
] as const)
  test(`“${a}” and “${b}” are ${are_two ? 'two things' : 'not told apart'}`, t => {
    const [one, other] = [a, b].map(description => referencesOf(description, {}));
    t.is(one && other && namedApart(one, other) === 'things', are_two);
  });

test('a number that is stated to be that of an invoice may be a year, one that is guessed may not', t => {
  const said = { description: 'Invoice 2031', metadata: {} };
  t.is(purposeOf({ ...said, metadata: { invoice_number: '2031' } }, true)?.invoice, '2031');
  t.is(purposeOf(said, true)?.invoice, null);
});

test('two parts of one price are two payments, whatever says so, and one part paid twice is not', async t => {
  const { as, analyze } = await world(t);
  const start = Date.now() - 2 * DAY;
  const pay = (agent: string, minutes: number, more: object, cents = '500') =>
    event({ agent, at: start + minutes * MINUTE, cents, payee: 'domain:worker.example.com', more: { ...more } });
  const invoiced = (part: string) => ({ metadata: { invoice_number: 'A-101', part } });
  const events = [
    ...['1', '2'].map(part => pay('described', Number(part), { description: `Milestone ${part} of 2` })),
    ...['1', '2'].map(part => pay('numbered', Number(part), { metadata: { part } })),
    ...['1', '2'].map(line =>
      pay('lines', Number(line), { metadata: { invoice_number: 'A-102', line_item: line } }, '40000'),
    ),
    ...['10 GB', '20 GB'].map((item_number, index) =>
      pay('no lines', 1 + index, { metadata: { item_number } }, '1900'),
    ),
    pay('spelled', 1, { metadata: { milestone: '2' } }),
    pay('spelled', 2, { description: 'Milestone 02 of 3' }),
    ...['1', '2'].map(part => pay('invoiced', Number(part), invoiced(part), '50000')),
    ...['1', '2'].map(part =>
      pay('two invoices', Number(part), { description: `INV-710${part} (${part} of 2)` }, '60000'),
    ),
    ...['1', '2'].map(part => pay('one invoice', Number(part), { description: `INV-7103 (${part} of 2)` }, '60000')),
    ...[1, 2].map(minutes => pay('again', minutes, { description: 'Milestone 1 of 2' })),
    ...['1', '2'].map(seat => pay('seats', Number(seat), { description: `Hamlet, seat ${seat}` }, '9100')),
  ];
  const { body } = await as.post('/v1/events', { events });
  t.is(body.accepted, events.length);
  await analyze();
  const { data } = (await as.get('/v1/alerts?detector=duplicate_payment')).body;
  t.deepEqual(
    data.map(({ title }: { title: string }) => title),
    ['Paid worker.example.com $5.00 twice', 'Paid worker.example.com $5.00 twice'],
  );
});

for (const [number, ...typed] of [
  ['7001', '#RE-7001', 're 07001', 'RE-7OO1', ' 7001.'],
  ['2026-7001', 'RE-2026-7001', 'RE 2026 7001', 'RE2026/7001'],
  ['26-333', 'SI26-333', 'si26 333', 'SI-26/0333'],
] as const)
  test(`an invoice's number, however it is typed: ${number}`, t => {
    for (const text of typed) t.is(invoiceNumber(text), number, text);
  });

test('a letter or a 1 may be added to the number of an invoice that is paid again; two letters, or two numbers, are two', t => {
  for (const [a, b, are_one] of [
    ['7001', '7001A', true],
    ['7001', '7001-1', true],
    ['7001A', '7001B', false],
    ['7001-1', '7001-2', false],
    ['7001', '7001-2', false],
    ['7001', '70011', false],
    ['2026', '2026-1', false],
  ] as const) {
    t.is(areOneInvoice(a, b), are_one, `${a} ${b}`);
    t.is(areOneInvoice(b, a), are_one, `${b} ${a}`);
  }
});

test('a year, or nothing but zeros, is no number of an invoice', t => {
  for (const text of ['2026', '0000', 'INV-000', 'A12']) t.is(invoiceNumber(text), null, text);
});

test('what is longer than a number of an invoice is none, and is not searched', t => {
  t.is(invoiceNumber('1'.repeat(100)), '1'.repeat(100));
  t.is(invoiceNumber(`1234${'.'.repeat(16_000)}x`), null);
});
