import test from 'ava';
import {
  areOneInvoice,
  areTwoItems,
  invoiceIn,
  invoiceNumber,
  partIn,
  purposeOf,
} from '#shared/detection/model/purpose.ts';
import { DAY, HOUR, MINUTE } from '#shared/values/time.ts';
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
    const [one, other] = [a, b].map(
      description => purposeOf({ description, number: null, part: null, order: null }, true)?.counting,
    );
    t.is(areTwoItems(one, other), are_two);
  });

test('a number that is stated to be that of an invoice may be a year, one that is guessed may not', t => {
  const said = { description: 'Invoice 2031', number: null, part: null, order: null };
  t.is(purposeOf({ ...said, number: '2031' }, true)?.invoice, '2031');
  t.is(purposeOf(said, true), null);
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

test('an invoice is paid twice however far apart that is sent, and two invoices of one amount are not one', async t => {
  const { as, analyze } = await world(t);
  const start = Date.now() - 40 * DAY;
  const pay = (agent: string, at: number, more: object, cents = '90000') =>
    event({ agent, at: start + at, cents, payee: 'domain:supplier.example.com', more: { ...more } });
  const invoice = (number: string) => ({ metadata: { invoice_number: number } });
  const sent = [
    [
      pay('twice', 0, invoice('A-101')),
      pay('two', 0, invoice('B-101')),
      pay('one range', 0, invoice('C-101')),
      pay('one range', 3 * DAY, invoice('invoice 101')),
    ],
    [pay('two', 5 * MINUTE, invoice('B-102'))],
    [pay('twice', 30 * DAY, { metadata: { invoice_no: 'A-101' } }), pay('other price', 0, invoice('D-101'))],
    [pay('other price', HOUR, invoice('D-101'), '100000'), pay('nothing said', 0, {}), pay('nothing said', DAY, {})],
  ];
  const ofOneCall = (number: string) => ({ ...invoice(number), context: { tool_call_id: 'call-1' } });
  sent.push([pay('one call', 0, ofOneCall('F-101')), pay('one call', MINUTE, ofOneCall('F-102'))]);
  const authorized = { ...pay('continued', 0, invoice('E-101')), type: 'payment.authorized' };
  sent.push([
    { ...authorized, payment: { ...(authorized as { payment?: object }).payment, status: 'authorized' } },
    pay('continued', 3 * DAY, invoice('E-101')),
  ]);
  for (const events of sent) {
    const { body } = await as.post('/v1/events', { events });
    t.true(body.results.every(({ status }: { status: string }) => status === 'accepted'));
    await analyze();
  }
  const { data } = (await as.get('/v1/alerts?detector=duplicate_payment')).body;
  const invoices = data.filter(({ title }: { title: string }) => title.endsWith('$900.00 twice for one invoice'));
  t.is(invoices.length, 2);
  for (const { explanation } of invoices) t.regex(explanation, /, \d+ d apart, for the same invoice\./);
  const others = data.filter((alert: object) => !invoices.includes(alert));
  t.deepEqual(
    others.map(({ explanation }: { explanation: string }) => /, for one tool call\./.test(explanation)),
    [true],
  );
});

test('an invoice that another agent has paid is told of, however the log is cut, unless that payment was undone, or was for another', async t => {
  const start = Date.now() - 40 * DAY;
  const pay = (agent: string, days: number, number: string, more: object = {}) =>
    event({
      agent,
      at: start + days * DAY,
      cents: '90000',
      payee: `domain:${number.slice(-4).toLowerCase()}.example.com`,
      more: { metadata: { invoice_number: number }, ...more },
    });
  const authorized = (sent: object) => ({ ...(sent as { payment: object }).payment, status: 'authorized' });
  const undone = pay('first', 0, 'RE-7003');
  const { payment } = undone as unknown as { payment: object };
  const events = [
    pay('first', 0, 'RE-7001'),
    pay('first', 0, 'RE-7002'),
    undone,
    pay('first', 0, 'A-7004'),
    pay('first', 0, 'RE-7005', { metadata: { invoice_number: 'RE-7005', part: '1' } }),
    { ...pay('first', 1, 'RE-7003'), type: 'payment.refunded', payment: { ...payment, status: 'refunded' } },
    { ...pay('first', 0, 'RE-7006'), type: 'payment.authorized', payment: authorized(pay('first', 0, 'RE-7006')) },
    pay('second', 3, 'RE-7006'),
    pay('second', 3, 're 7001'),
    pay('second', 3, 'RE-7003'),
    pay('second', 3, 'B-7004'),
    pay('second', 3, 'RE-7005', { metadata: { invoice_number: 'RE-7005', part: '2' } }),
    event({ agent: 'second', at: start + 3 * DAY, cents: '90000', payee: 'domain:7002.example.com' }),
  ];
  for (const limit of [100, 1]) {
    const { as, analyze } = await world(t);
    const { body } = await as.post('/v1/events', { events });
    t.is(body.accepted, events.length, JSON.stringify(body.results));
    await analyze({ limit });
    const { data } = (await as.get('/v1/alerts?detector=duplicate_payment')).body;
    const [alert, ...more] = data;
    t.deepEqual(more, []);
    t.is(alert.title, 'Paid 7001.example.com $900.00 for an invoice that another agent has paid');
    t.regex(alert.explanation, /, 3 d apart, name the same invoice: .* of agent “first”\./);
    t.is((await as.get(`/v1/alerts/${alert.id}/evidence`)).body.payments, 2);
  }
});

test('an invoice paid twice with nearly the same amount is told of, however the log is cut, unless it is a number that is named again and again', async t => {
  const start = Date.now() - 50 * DAY;
  const pay = (agent: string, days: number, cents: string, number: string, more: object = {}) =>
    event({
      agent,
      at: start + days * DAY,
      cents,
      payee: 'domain:supplier.example.com',
      more: { metadata: { invoice_number: number }, ...more },
    });
  const refunded = pay('refunded', 0, '90000', 'R-201');
  const { payment } = refunded as unknown as { payment: object };
  const events = [
    pay('fee', 0, '90000', 'A-201'),
    pay('customer number', 0, '90000', 'C-201'),
    pay('two invoices', 0, '90000', 'D-201'),
    pay('far', 0, '90000', 'E-201'),
    ...Array.from({ length: 60 }, (_, index) => pay('fee', 0, String(500_000 + index * 1_000), `G-${300 + index}`)),
    refunded,
    { ...pay('refunded', 1, '90000', 'R-201'), type: 'payment.refunded', payment: { ...payment, status: 'refunded' } },
    pay('part', 0, '90000', 'F-201', { metadata: { invoice_number: 'F-201', part: '1' } }),
    pay('customer number', 10, '80000', 'C-201'),
    pay('part', 20, '90100', 'F-201', { metadata: { invoice_number: 'F-201', part: '2' } }),
    pay('refunded', 20, '90100', 'R-201'),
    pay('far', 20, '95000', 'E-201'),
    pay('two invoices', 20, '90100', 'D-202'),
    pay('fee', 10, '900', 'A-201'),
    pay('fee', 20, '92250', 'a 201'),
    pay('customer number', 20, '90100', 'C-201'),
  ];
  for (const limit of [100, 1]) {
    const { as, analyze } = await world(t);
    const { body } = await as.post('/v1/events', { events });
    t.is(body.accepted, events.length, JSON.stringify(body.results));
    await analyze({ limit });
    const { data } = (await as.get('/v1/alerts?detector=duplicate_payment')).body;
    const [alert, ...more] = data;
    t.deepEqual(more, []);
    t.is(alert.title, 'Paid supplier.example.com $922.50, and $900.00 for the same invoice');
    t.is(alert.severity, 'medium');
    t.regex(
      alert.explanation,
      /^Two payments .*, 20 d apart, name the same invoice\. .* at most 5%, they are at most 60 d apart/,
    );
    t.is((await as.get(`/v1/alerts/${alert.id}/evidence`)).body.payments, 2);
  }
});
