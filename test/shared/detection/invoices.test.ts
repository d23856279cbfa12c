import test, { type ExecutionContext } from 'ava';
import { DAY, HOUR, MINUTE } from '#shared/values/time.ts';
import { event } from '#test/helpers/make.ts';
import { world } from '#test/helpers/world.ts';

/** The alerts on duplicates among these events, of which `limit` are analyzed at a time. */
async function toldOf(t: ExecutionContext, events: object[], limit: number) {
  const { as, analyze } = await world(t);
  const { body } = await as.post('/v1/events', { events });
  t.is(body.accepted, events.length, JSON.stringify(body.results));
  await analyze({ limit });
  const { data } = (await as.get('/v1/alerts?detector=duplicate_payment')).body;
  return { as, data };
}

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

test('an invoice that was paid without an authorization and is paid again with one is told once that settles, however the log is cut', async t => {
  const start = Date.now() - 40 * DAY;
  const pay = (id: string, days: number, status: 'authorized' | 'settled', number = id.slice(0, 6), cents = '90000') =>
    event({
      agent: `pays ${id.slice(0, 6)}`,
      at: start + days * DAY,
      cents,
      payment_id: id,
      type: `payment.${status}`,
      payee: 'domain:supplier.example.com',
      more: { metadata: { invoice_number: number } },
    });
  const customer = [
    pay('A-2008', 0, 'settled'),
    ...(['authorized', 'settled'] as const).map(status => pay('A-2008 more', 3, status, 'A-2008', '80000')),
    ...(['authorized', 'settled'] as const).map(status => pay('A-2008 yet more', 6, status, 'A-2008', '90100')),
  ];
  const events = [
    pay('A-2001', 0, 'settled'),
    pay('A-2001 again', 10, 'authorized'),
    pay('A-2001 again', 10.1, 'settled'),
    pay('A-2002', 0, 'authorized'),
    pay('A-2002 again', 10, 'settled'),
    pay('A-2002', 10.1, 'settled'),
    pay('A-2003', 0, 'authorized'),
    pay('A-2003 again', 10, 'settled'),
    pay('A-2004', 0, 'settled'),
    pay('A-2004 again', 10, 'authorized'),
    pay('A-2005', 0, 'settled'),
    pay('A-2005 again', 10, 'authorized', 'A-2006'),
    pay('A-2005 again', 10.1, 'settled', 'A-2006'),
    pay('A-2007', 0, 'settled'),
    pay('A-2007 again', 10, 'authorized', 'A-2007', '90100'),
    pay('A-2007 again', 10.1, 'settled', 'A-2007', '90100'),
    ...customer,
    pay('A-2009', 0, 'authorized'),
    pay('A-2009 seems', 1, 'settled'),
    pay('A-2009 again', 10, 'authorized'),
    pay('A-2009 again', 10.1, 'settled'),
  ];
  for (const limit of [100, 1]) {
    const { as, data } = await toldOf(t, events, limit);
    t.deepEqual(data.map(({ explanation }: { explanation: string }) => /A-200\d/.exec(explanation)?.[0]).toSorted(), [
      'A-2001',
      'A-2002',
      'A-2007',
      'A-2009',
    ]);
    for (const { id } of data) t.is((await as.get(`/v1/alerts/${id}/evidence`)).body.payments, 2);
  }
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
    const { as, data } = await toldOf(t, events, limit);
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
    const { as, data } = await toldOf(t, events, limit);
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

test('a deposit and the balance of one invoice are two payments, and a deposit paid twice is not', async t => {
  const start = Date.now() - 20 * DAY;
  const halves = [
    ['Cleaning deposit', 'Cleaning balance'],
    ['Licenses 50% upfront', 'Licenses 50% on delivery'],
    ['Ersatzteile Anzahlung', 'Ersatzteile Restzahlung'],
    ['Paper first half', 'Paper second half'],
    ['Toner 1/2', 'Toner 2/2'],
    ['Pago factura, primer pago', 'Pago factura, último pago'],
  ] as const;
  const agents = [...halves.map(([first]) => first), 'twice'];
  const pay = (agent: (typeof agents)[number], days: number, description: string) =>
    event({
      agent,
      at: start + days * DAY,
      cents: '66000',
      payee: 'domain:supplier.example.com',
      more: { description, metadata: { invoice_no: `40010${agents.indexOf(agent)}` } },
    });
  const events = [
    ...halves.flatMap(([first, second]) => [pay(first, 0, first), pay(first, 5, second)]),
    pay('twice', 0, 'Cleaning deposit'),
    pay('twice', 5, 'Deposit for cleaning, 7F3A21'),
  ];
  const { data } = await toldOf(t, events, 1_000);
  t.deepEqual(
    data.map(({ title }: { title: string }) => title),
    ['Paid supplier.example.com $660.00 twice for one invoice'],
  );
});
