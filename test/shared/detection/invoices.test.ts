import test from 'ava';
import { invoiceIn } from '#shared/detection/model/invoice.ts';
import { DAY, HOUR, MINUTE } from '#shared/values/time.ts';
import { event } from '#test/helpers/make.ts';
import { world } from '#test/helpers/world.ts';

for (const [description, number] of [
  ['Invoice INV-2031', 'INV-2031'],
  ['inv. no. 2031, due in 14 days', '2031'],
  ['Rechnung Nr. RE2026/0417.', 'RE2026/0417'],
  ['INVOICE#00012', '00012'],
  ['Invoice for hosting', null],
  ['Facture 12', null],
  ['Billing account 4711', null],
  ['Order 4711', null],
] as const)
  test(`the invoice in “${description}”: ${number ?? 'none'}`, t => t.is(invoiceIn(description), number));

test('an invoice is paid twice however far apart that is sent, and two invoices of one amount are not one', async t => {
  const { as, analyze } = await world(t);
  const start = Date.now() - 40 * DAY;
  const pay = (agent: string, at: number, more: object, cents = '90000') =>
    event({ agent, at: start + at, cents, payee: 'domain:supplier.example.com', more: { ...more } });
  const invoice = (number: string) => ({ metadata: { invoice_number: number } });
  const sent = [
    [
      pay('twice', 0, invoice('A-1')),
      pay('two', 0, invoice('B-1')),
      pay('one range', 0, invoice('C-1')),
      pay('one range', 3 * DAY, invoice('c-1')),
    ],
    [pay('two', 5 * MINUTE, invoice('B-2'))],
    [pay('twice', 30 * DAY, invoice('A-1')), pay('other price', 0, invoice('D-1'))],
    [pay('other price', HOUR, invoice('D-1'), '90100'), pay('nothing said', 0, {}), pay('nothing said', DAY, {})],
  ];
  for (const events of sent) {
    const { body } = await as.post('/v1/events', { events });
    t.true(body.results.every(({ status }: { status: string }) => status === 'accepted'));
    await analyze();
  }
  const { data } = (await as.get('/v1/alerts?detector=duplicate_payment')).body;
  t.deepEqual(
    data.map((alert: { title: string }) => alert.title),
    Array(2).fill('Paid supplier.example.com $900.00 twice for one invoice'),
  );
  for (const { explanation } of data) t.regex(explanation, /, \d+ d apart, for the same invoice\./);
});
