import test from 'ava';
import { HOUR } from '#shared/values/time.ts';
import { reportOf } from '#test/helpers/pack_report.ts';
import { emptyPack, packEvent } from '#test/helpers/pack_world.ts';
import { bars, blocks, figure, plain, rows } from '#test/helpers/report_text.ts';

const at = (day: number, hour = 0) => Date.parse(`2026-03-0${day}T00:00:00.000Z`) + hour * HOUR;
const dollars = (count: number) => BigInt(count) * 1_000_000n;

/** A small world, of which the sums are known. */
const report = reportOf({
  ...emptyPack(),
  events: [
    packEvent({ seq: 1, payment_id: 'A', type: 'payment.authorized', at: at(1), usd_micro: dollars(12) }),
    packEvent({ seq: 2, payment_id: 'A', at: at(2), usd_micro: dollars(10) }),
    packEvent({ seq: 3, payment_id: 'B', at: at(2), usd_micro: dollars(20), payee: 2, rail: 'sepa' }),
    packEvent({
      seq: 4,
      payment_id: 'B',
      type: 'payment.refunded',
      status: 'partially_refunded',
      at: at(3),
      usd_micro: dollars(5),
      payee: 2,
      rail: 'sepa',
    }),
    packEvent({ seq: 5, payment_id: 'C', type: 'payment.authorized', at: at(3), usd_micro: dollars(7) }),
    packEvent({ seq: 6, payment_id: 'C', type: 'payment.failed', at: at(3, 1), usd_micro: dollars(7) }),
    packEvent({ seq: 7, payment_id: 'D', at: at(3), usd_micro: null }),
    packEvent({ seq: 8, payment_id: 'E', at: at(4), usd_micro: 1_000n, payee: 2, rail: 'x402' }),
    packEvent({ seq: 9, payment_id: 'F', type: 'payment.disputed', at: at(4), usd_micro: dollars(3) }),
    packEvent({ seq: 10, payment_id: 'G', type: 'payment.requested', at: at(4), usd_micro: dollars(9) }),
    // It came late: by time of occurrence the failure is not the latest event.
    packEvent({ seq: 11, payment_id: 'F', type: 'payment.failed', at: at(3), usd_micro: dollars(3) }),
  ],
});

test('spend counts a payment once, leaves failed ones out, takes refunds off, and is exact below a cent', t => {
  t.like(figure(report, 'Payments'), { value: '7', events: '#2, #3, #4, #6 and 4 more: events.jsonl' });
  t.like(figure(report, 'Spend'), { value: '$28.001', events: '#2, #3, #4, #7 and 2 more: events.jsonl' });
  t.regex(figure(report, 'Spend').rule, /5 payments that count/);
});

test('what has no price in dollars is named beside the spend', t => {
  t.like(figure(report, 'Not priced in dollars'), { value: '1 payment', events: '#7' });
  t.regex(figure(report, 'Not priced in dollars').rule, /₩500,000/);
  t.deepEqual(rows(report, 'payments', /no price in dollars/), [['₩500,000', '1', '0', '#7']]);
});

test('spend by payee, rail and status adds up to the spend', t => {
  t.deepEqual(bars(report, 'payments', 'Spend by payee'), [
    ['Hotel 2 domain:hotel-2.example.com', '$15.001', '2', '#3, #4, #8'],
    ['Hotel 1 domain:hotel-1.example.com', '$13.00 + 1 not priced', '5', '#2, #6, #7, #9 and 1 more: events.jsonl'],
  ]);
  t.deepEqual(
    bars(report, 'payments', 'Spend by rail').map(row => row.slice(0, 3)),
    [
      ['sepa', '$15.00', '1'],
      ['card', '$13.00 + 1 not priced', '5'],
      ['x402', '$0.001', '1'],
    ],
  );
  t.deepEqual(
    bars(report, 'payments', 'Payments by status').map(row => row.slice(0, 3)),
    [
      ['settled', '3', '$10.001 + 1 not priced'],
      ['disputed', '1', '$3.00'],
      ['failed', '1', '$0.00'],
      ['partially refunded', '1', '$15.00'],
      ['pending', '1', '$0.00'],
    ],
  );
});

test('a payment counts on the day of its first event that counts, and each day names its events', t => {
  const [series] = blocks(report, 'payments', 'series');
  t.deepEqual(
    series?.points.map(({ label, texts, events }) => [label, ...texts, plain(events)]),
    [
      ['2026-03-01', '1', '$10.00', '#2'],
      ['2026-03-02', '1', '$15.00', '#3, #4'],
      ['2026-03-03', '3', '$0.00 + 1 not priced', '#6, #7, #9'],
      ['2026-03-04', '2', '$3.001', '#8, #9, #10'],
    ],
  );
  t.deepEqual(
    series?.points.map(point => point.shares),
    [
      [333, 666],
      [333, 1000],
      [1000, 0],
      [666, 200],
    ],
  );
});

test('a refund that cannot be priced is named too, and is taken off in its own currency', t => {
  const refund = { type: 'payment.refunded', usd_micro: null, payment_id: 'A' } as const;
  const amount = { value: '200000', unit: 'minor', currency: 'KRW' } as const;
  const events = [
    packEvent({ seq: 1, payment_id: 'A', usd_micro: null }),
    packEvent({ seq: 2, ...refund, amount }),
    packEvent({ seq: 3, payment_id: 'B' }),
  ];
  const found = reportOf({ ...emptyPack(), events });
  t.is(figure(found, 'Spend').value, '$1.00');
  t.deepEqual(rows(found, 'payments', /no price in dollars/), [['₩300,000', '1', '1', '#1, #2']]);
});
