import { randomUUID } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import { DAY, HOUR, MINUTE, SECOND } from '#shared/values/time.ts';
import { event } from '#test/helpers/make.ts';
import { world } from '#test/helpers/world.ts';

/** The agents of which a duplicate is told, by name, where these events are sent at once and `limit` are analyzed at a time. */
async function agentsTold(t: ExecutionContext, events: object[], limit?: number) {
  const { as, analyze } = await world(t);
  const { body } = await as.post('/v1/events', { events });
  t.is(body.accepted, events.length, JSON.stringify(body).slice(0, 500));
  await analyze(limit === undefined ? {} : { limit });
  const agents = (await as.get('/v1/agents?limit=100')).body.data as { id: string; external_id: string }[];
  const nameOf = new Map(agents.map(({ id, external_id }) => [id, external_id]));
  const data = (await as.get('/v1/alerts?detector=duplicate_payment&limit=100')).body.data as { agent_id: string }[];
  return data.map(({ agent_id }) => nameOf.get(agent_id)).toSorted();
}

test('a reference that says that it is the number of an invoice is one, and no other is', async t => {
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
  t.deepEqual(await agentsTold(t, events), ['behind others', 'described', 'named', 'numbered', 'tried again']);
});

test('a bare number of an odd sum that is paid again within three weeks is that of an invoice, and no month, row or contract is', async t => {
  const start = Date.now() - 50 * DAY;
  const pay = (agent: string, days: readonly number[], metadata: object, cents = '187452') =>
    days.map(day =>
      event({ agent, at: start + day * DAY, cents, payee: 'domain:supplier.example.com', more: { metadata } }),
    );
  const events = [
    ...pay('bare', [0, 8], { invoice: '3882' }),
    ...pay('a number', [0, 8], { invoice_id: 3882 }),
    ...pay('a letter', [0, 8], { bill_ref: 'U5229' }),
    ...pay('a year before it', [0, 8], { rechnung: 'F-2026-8629' }),
    ...pay('a quarter', [0, 8], { invoice: 'Q3-2026' }),
    ...pay('months', [0, 8], { bill_ref: 'M092026' }),
    ...['1001', '1002'].flatMap((visit, n) => pay('two things', [3 * n], { invoice: 'U5229', visit })),
    ...pay('a month in letters', [0, 8], { invoice: 'AUG-2026' }),
    ...pay('a subscription', [0, 8], { invoice_id: 'SUB-88213' }),
    ...['A-1001', 'B-1001'].flatMap((invoice_id, n) => pay('two series', [8 * n], { invoice_id })),
    ...pay('one digit', [0, 8], { invoice: '2' }),
    ...pay('a month', [0, 8], { invoice: '2026-09' }),
    ...pay('a year', [0, 8], { invoice: '2026' }),
    ...pay('a contract', [0, 30], { invoice: '4711220' }),
    ...pay('a customer', [0, 40, 20], { invoice: '4711220' }),
    ...pay('a round sum', [0, 8], { invoice: '4711220' }, '180000'),
    ...pay('another name', [0, 8], { ticket: '3882' }),
  ];
  t.deepEqual(await agentsTold(t, events), ['a letter', 'a number', 'a year before it', 'bare']);
});

for (const limit of [undefined, 1])
  test(`payments that refer to two things are two, and to two attempts at one are not, ${limit ?? 'all'} analyzed at a time`, async t => {
    const start = Date.now() - 5 * DAY;
    const twice = (agent: string, gap: number, pair: readonly [object, object], cents = '9100') =>
      pair.map((more, n) =>
        event({ agent, at: start + n * gap, cents, payee: 'domain:gate.example.com', more: { ...more } }),
      );
    const named = (...[a, b]: readonly [object, object]) => [{ metadata: a }, { metadata: b }] as const;
    const described = (...[a, b]: readonly [string, string]) => [{ description: a }, { description: b }] as const;
    const call = { context: { tool_call_id: 'call_UFYxLCa' } };
    const inRun = (run_id: string, tool_call_id = 'call_0') => ({ context: { run_id, tool_call_id } });
    const events = [
      ...twice('seats', 30 * SECOND, named({ booking: '89edc7', seat: '975' }, { booking: 'e45cb3', seat: '756' })),
      ...twice('filings', 3 * MINUTE, named({ filingRef: '21322438' }, { filingRef: '24887708' })),
      ...twice('phones', 5 * SECOND, named({ msisdn_tail: 4352 }, { msisdn_tail: 7753 })),
      ...twice('domains', 5 * SECOND, named({ domain: 'foxglove.com' }, { domain: 'yarrow.com' })),
      ...twice('described seats', 30 * SECOND, described('Seat C23', 'Seat A7')),
      ...twice('described domains', 30 * SECOND, described('Renew foxglove.com', 'Renew yarrow.com')),
      ...twice('described filings', 3 * MINUTE, described('Filing 077551', 'Filing 163847')),
      ...twice('passengers', 30 * SECOND, named({ passenger: 'Aisha Chen' }, { passenger: 'Omar Rossi' })),
      ...twice('described passengers', 30 * SECOND, described('Ticket for Aisha Chen', 'Ticket for Omar Rossi')),
      ...twice('travelers', 3 * MINUTE, named({ pax: 'Yuki Garcia-Mensah' }, { pax: 'Omar van der Berg' })),
      ...twice(
        'described travelers',
        3 * MINUTE,
        described('Ticket ZKLMJF for Yuki Garcia-Mensah', 'Ticket QWPBTR for Omar Weiss-Lindgren'),
      ),
      ...twice('shipments', 3 * HOUR, named({ po: 'P-4711', lot: '1/3' }, { po: 'P-4711', lot: 'shipment 2/3' })),
      ...twice('two purchase orders', 3 * HOUR, named({ po: 'P-4711' }, { po: 'P-4712' })),
      ...twice('counted calls', 3 * HOUR, [inRun('run-1'), inRun('run-2')]),
      ...twice('small orders', 30 * SECOND, named({ order: '6932451' }, { order: '6618273' }), '1250'),
      ...twice('later rows', 3 * MINUTE, named({ invoice_id: 'row-1201' }, { invoice_id: 'row-1202' })),
      ...twice('again: no metadata', 3 * MINUTE, [{}, {}]),
      ...twice('again: one seat', 3 * MINUTE, named({ seat: '975' }, { seat: '975' })),
      ...twice('again: one names none', 3 * MINUTE, named({ seat: '975' }, { row: '756' })),
      ...twice('again: attempts', 3 * MINUTE, named({ attempt: '1001' }, { attempt: '1002' })),
      ...twice('again: keys', 3 * MINUTE, named({ idempotencyKey: 'k-1001' }, { idempotencyKey: 'k-1002' })),
      ...twice('again: requests', 3 * MINUTE, named({ request_id: 'r-1001' }, { request_id: 'r-1002' })),
      ...twice('again: times', 3 * MINUTE, named({ when: '2026-10-05T10:00:02Z' }, { when: '2026-10-05T10:03:02Z' })),
      ...twice('again: runs', 3 * MINUTE, named({ batch_id: 'b-1001' }, { batch_id: 'b-1002' })),
      ...twice('again: amounts', 3 * MINUTE, named({ rated: 91.25 }, { rated: 91.5 })),
      ...twice('again: words', 3 * MINUTE, named({ mood: 'fine' }, { mood: 'good' })),
      ...twice('again: tries', 3 * MINUTE, described('Top-up, attempt 1', 'Top-up, attempt 2')),
      ...twice('again: clocks', 3 * MINUTE, described('Top-up at 12:01', 'Top-up at 12:04')),
      ...twice('again: transactions', 3 * MINUTE, described('Transaction no. 48213', 'Transaction no. 48214')),
      ...twice('again: a note', 3 * MINUTE, named({ note: 'first try' }, { note: 'retry 2 of 3' })),
      ...twice('again: one call', 30 * SECOND, [
        { ...call, metadata: { seat: '975' } },
        { ...call, metadata: { seat: '756' } },
      ]),
      ...twice('again: a call of a run', 3 * HOUR, [inRun('run-1'), inRun('run-1')]),
      ...twice('again: a call that two runs name', 3 * HOUR, [
        inRun('run-1', 'call_UFYxLCa'),
        inRun('run-2', 'call_UFYxLCa'),
      ]),
      ...twice('again: one purchase order', 3 * HOUR, named({ po: 'P-4711' }, { po: 'P-4711' })),
      ...twice('again: one passenger', 3 * MINUTE, named({ passenger: 'Aisha Chen' }, { passenger: 'aisha chen' })),
      ...twice('again: tasks', 3 * MINUTE, named({ task_id: 't-1001' }, { task_id: 't-1002' })),
      ...twice('again: pods', 3 * MINUTE, named({ hostname: 'pod-1001' }, { hostname: 'pod-1002' })),
      ...twice('again: seconds', 3 * MINUTE, named({ initiated: 1764000000 }, { initiated: 1764000180 })),
      ...twice('again: what is random', 3 * MINUTE, named({ ref: randomUUID() }, { ref: randomUUID() })),
      ...twice(
        'again: one order',
        3 * HOUR,
        named({ order_id: 'A-1001', gate: 'g-11' }, { order_id: 'A-1001', gate: 'g-12' }),
      ),
      ...twice('again: crews', 3 * MINUTE, named({ crew_id: 'cr-fadc0280' }, { crew_id: 'cr-767e833a' })),
      ...twice('again: one traveler', 3 * MINUTE, named({ pax: 'Dr. José García' }, { pax: 'Jose M. Garcia' })),
      ...twice(
        'again: one ticket',
        30 * SECOND,
        described('Ticket ZKLMJF for Aisha Chen', 'Ticket QWPBTR for Dr. Aisha Chen'),
      ),
      ...twice('again: a part is said', 3 * MINUTE, named({ lot: 'all' }, { lot: '2/3' })),
      ...twice('again: initials', 3 * MINUTE, named({ pax: 'Aisha Chen' }, { pax: 'A. Chen' })),
      ...twice('again: whom it is called for', 3 * MINUTE, named({ for: 'Office Supplies' }, { for: 'Team Lunch' })),
      ...twice('again: other items', 3 * MINUTE, described('Payment for a laptop', 'Payment for 1 MacBook Pro')),
      ...twice('again: gateways', 3 * MINUTE, named({ gateway: 'STRIPE' }, { gateway: 'PAYPAL' })),
      ...twice('again: cards', 3 * MINUTE, named({ card: 'Corporate Visa' }, { card: 'Backup Amex' })),
      ...twice('again: approvals', 3 * MINUTE, [
        { metadata: { po: 'P-4711', approvals: '1/2' } },
        { metadata: { po: 'P-4711', approvals: '2/2' } },
      ]),
      ...twice('again: urgency', 3 * MINUTE, described('Hosting renewal, NORMAL', 'Hosting renewal, URGENT')),
      ...twice('again: titles', 3 * MINUTE, named({ title: 'Team Lunch' }, { title: 'Lunch For Team' })),
      ...twice('again: approvers', 3 * MINUTE, named({ approved_by: 'Aisha Chen' }, { approved_by: 'Omar Rossi' })),
      ...twice('again: states', 3 * MINUTE, named({ status: 'FAILED' }, { status: 'BOOKED' })),
      ...twice('again: other words', 3 * MINUTE, described('Monthly Hosting Fee', 'Monthly Hosting Charge')),
      ...twice('again: invoices of runs', 3 * HOUR, [inRun('run-1', 'invoice-4711'), inRun('run-2', 'invoice-4711')]),
      ...twice('again: orders at once', 30 * SECOND, named({ reference: 'A-1001' }, { reference: 'A-1002' })),
    ];
    const told = await agentsTold(t, events, limit);
    const again = events.map(each => (each as unknown as { agent: { external_id: string } }).agent.external_id);
    t.deepEqual(told, [...new Set(again.filter(name => name.startsWith('again: ')))].toSorted());
  });

test('seventy-five things of one price, each analyzed by itself, are known to be so many', async t => {
  const start = Date.now() - DAY;
  const pay = (n: number) =>
    event({
      agent: 'phones',
      at: start + n * 5 * SECOND,
      cents: '1500',
      payee: 'domain:sim.example.com',
      more: { metadata: { msisdn_tail: String(1000 + n) } },
    });
  t.deepEqual(
    await agentsTold(
      t,
      Array.from({ length: 75 }, (_, n) => pay(n)),
      1,
    ),
    [],
  );
});
