import test from 'ava';
import * as fc from 'fast-check';
import { type BookPayment, createBook } from '#shared/mandates/book.ts';
import type { Position, Spent, Unit } from '#shared/mandates/evaluation.ts';
import { createScale } from '#shared/mandates/scale.ts';
import { DAI, entry, EURC, rates, time, usd, USDC, usdc } from './held.ts';
import { runs } from '#test/helpers/runs.ts';

const START = time('2026-11-20T00:00:00Z');
const DAY = 86_400_000;
const QUARTER = 900_000;
const asset = ({ network, address }: typeof USDC) => `${network}/${address.toLowerCase()}`;
const units: Unit[] = [
  { currency: 'USD' },
  { currency: 'EUR' },
  { currency: 'SEK' },
  { asset: asset(USDC) },
  { asset: asset(EURC) },
];

const at = fc.integer({ min: START, max: START + 2 * DAY });
const denomination = fc.constantFrom('USD', 'EUR', 'SEK', asset(USDC), asset(DAI), asset(EURC), null);
const value = fc.oneof(fc.constant(0n), fc.bigInt(0n, 1_000_000n), fc.bigInt(0n, 2n ** 256n - 1n));
const money = fc.record({ denomination, value, usd_micro: fc.option(fc.bigInt(0n, 10n ** 12n)) });

/** The sum as anybody would make it. */
function naive(payments: readonly BookPayment[], unit: Unit, from: number | null, to: Position): Spent {
  const scale = createScale(unit);
  const spent = { payments: 0, value: 0n, unpriced: 0 };
  for (const payment of payments) {
    if (from !== null && payment.at < from) continue;
    if (payment.at > to.at || (payment.at === to.at && payment.seq >= to.seq)) continue;
    spent.payments += 1;
    const measure = scale.measure(payment, rates, payment.at);
    if (measure) spent.value += measure.ceil;
    else spent.unpriced += 1;
  }
  return spent;
}

const act = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('put' as const), at, money }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('remove' as const), which: fc.nat() }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('ask' as const),
      unit: fc.constantFrom(...units),
      from: fc.option(at),
      to: fc.record({ at, seq: fc.nat({ max: 500 }) }),
    }),
  },
);

test('a book says what anybody would who added up the payments, put in and taken out in any order', t => {
  fc.assert(
    fc.property(fc.array(act, { maxLength: 300, size: 'max' }), acts => {
      const book = createBook(rates);
      let payments: BookPayment[] = [];
      for (const [seq, act] of acts.entries()) {
        if (act.kind === 'put') {
          const payment = { at: act.at, seq, ...act.money };
          payments.push(payment);
          book.put(payment);
        }
        const taken = act.kind === 'remove' ? payments[act.which % payments.length] : undefined;
        if (taken) {
          payments = payments.filter(payment => payment !== taken);
          t.true(book.remove(taken));
          t.false(book.remove(taken));
        }
        if (act.kind === 'ask')
          t.deepEqual(book.before(act.unit, act.from, act.to), naive(payments, act.unit, act.from, act.to));
      }
      t.is(book.size(), payments.length);
    }),
    { numRuns: 200 },
  );
});

test('a book of thousands of payments in any order says the same', t => {
  const book = createBook(rates);
  const payments = Array.from({ length: 5_000 }, (_, seq) => ({
    at: START + ((seq * 7_919) % 5_000) * 30_000,
    seq,
    denomination: 'USD',
    value: BigInt(seq % 97),
    usd_micro: BigInt(seq % 97) * 10_000n,
  }));
  for (const [index, payment] of payments.entries()) {
    book.put(payment);
    if (index % 50 !== 0) continue;
    const to = { at: START + ((index * 104_729) % 5_000) * 30_000, seq: 0 };
    const known = payments.slice(0, index + 1);
    t.deepEqual(book.before({ currency: 'USD' }, to.at - DAY, to), naive(known, { currency: 'USD' }, to.at - DAY, to));
  }
  const half = payments.filter(({ seq }) => seq % 2 === 0);
  for (const payment of half) book.remove(payment);
  const rest = payments.filter(({ seq }) => seq % 2 === 1);
  const end = { at: START + 100 * DAY, seq: 0 };
  t.deepEqual(book.before({ currency: 'EUR' }, null, end), naive(rest, { currency: 'EUR' }, null, end));
});

test('where a book has put old payments together, calendar sums stay exact and late changes still count', t => {
  const quarter = fc.integer({ min: 0, max: (2 * DAY) / QUARTER }).map(number => START + number * QUARTER);
  const exact = fc.constantFrom<Unit>({ currency: 'USD' }, { asset: asset(USDC) }, { asset: asset(EURC) });
  const small = fc.record({
    denomination: fc.constantFrom('USD', 'EUR', asset(USDC), asset(EURC)),
    value: fc.oneof(fc.constant(0n), fc.bigInt(0n, 1_000_000n)),
    usd_micro: fc.option(fc.bigInt(0n, 10n ** 12n)),
  });
  const paid = fc.array(fc.tuple(at, small), { minLength: 30, maxLength: 100 });
  fc.assert(
    fc.property(paid, fc.nat(), exact, quarter, quarter, (paid, removed, unit, from, to) => {
      const book = createBook(rates, 8, 4);
      const payments = paid.map(([at, money], seq) => ({ at, seq, ...money }));
      for (const payment of payments) book.put(payment);
      const taken = payments[removed % payments.length];
      if (taken) t.true(book.remove(taken));
      const rest = payments.filter(payment => payment !== taken);
      t.deepEqual(
        book.before(unit, from, { at: to, seq: -2 }),
        naive(rest, unit, Math.min(from, to), { at: to, seq: -2 }),
      );
      t.deepEqual(book.before(unit, null, { at: to, seq: -2 }), naive(rest, unit, null, { at: to, seq: -2 }));
      for (const payment of rest) t.true(book.remove(payment));
      t.is(book.size(), 0);
    }),
    { numRuns: runs(300) },
  );
});

test('what is worth less than a micro-dollar is not unpriced among others that are', t => {
  const book = createBook(rates, 1, 0);
  // The first two in one quarter of an hour, which is put together when the others come.
  for (const [seq, [at, usd_micro]] of (
    [
      [0, 0n],
      [1, 5n],
      [2 * QUARTER, 7n],
      [9 * QUARTER, 7n],
    ] as const
  ).entries())
    book.put({ at: START + at, seq, denomination: 'SEK', value: 1n, usd_micro });
  const all = book.before({ asset: asset(EURC) }, null, { at: START + QUARTER, seq: -2 });
  t.deepEqual(all, { payments: 2, value: 0n, unpriced: 1 });
});

test('a book keeps the newest payments one by one, and does not grow with the number of those before', t => {
  const book = createBook(rates, 1_000, 100);
  for (let seq = 0; seq < 50_000; seq += 1)
    book.put({ at: START + seq * 1_000, seq, denomination: 'USD', value: 1n, usd_micro: 10_000n });
  const quarters = 50_000 / 900;
  t.true(book.size() < 1_000 + 2 * 900 + 100 + quarters);
  const last = { at: START + 50_000_000, seq: 0 };
  t.is(book.before({ currency: 'USD' }, null, last).payments, 50_000);
  t.is(book.before({ currency: 'USD' }, last.at - 999_999, last).payments, 999);
});

test('what was not put in is not taken out', t => {
  const book = createBook(rates);
  const payment = entry('2026-11-20T10:00:00Z', 1, usd(100n));
  t.false(book.remove(payment));
  book.put(payment);
  t.false(book.remove({ ...payment, seq: 2 }));
  t.true(book.remove(payment));
  t.deepEqual(book.before({ currency: 'USD' }, null, { at: time('2030-01-01T00:00:00Z'), seq: 1 }), {
    payments: 0,
    value: 0n,
    unpriced: 0,
  });
});

test('sums beyond the safe integers of JavaScript are exact', t => {
  const book = createBook(rates);
  for (let seq = 0; seq < 3; seq += 1) book.put(entry('2026-11-20T10:00:00Z', seq, usdc(2n ** 255n + 1n)));
  const end = { at: time('2026-11-21T00:00:00Z'), seq: 0 };
  t.is(book.before({ asset: asset(USDC) }, null, end).value, 3n * 2n ** 255n + 3n);
  t.is(book.before({ currency: 'USD' }, null, end).value, 3n * 2n ** 255n + 3n);
});
