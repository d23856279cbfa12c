import type { Meter, Position } from './evaluation.ts';
import type { Money } from './scale.ts';
import { type SpendAmount, createSpendIndex, type SpendEntry } from './spend_index.ts';
import type { Rates } from '#shared/values/price_in_usd.ts';
import { MINUTE } from '#shared/values/time.ts';

/**
 * The payments under one mandate, in memory: where each stands, and what it costs after refunds. A payment that came back whole costs
 * nothing and still counts as one; one that failed or was canceled is to be taken out.
 */
export type Book = Meter & {
  /** Puts a payment in. What is in the book is not changed: take out what was put in, and put in what it is now. */
  put(payment: BookPayment): void;
  /** Takes a payment out, given as it was put in; false when it is not there. */
  remove(payment: BookPayment): boolean;
  /** How much is kept, in entries, for a cache that holds many books. */
  size(): number;
};

export type BookPayment = Position & Money;

/** The newest payments are kept one by one; those that are older are put together by the quarter of an hour. */
const MOST_PAYMENTS = 100_000;
/** Putting together is done for so many at a time. */
const SLACK = 10_000;
/** Clocks differ from UTC by whole quarters of an hour, so no calendar period begins within one. */
const QUARTER = 15 * MINUTE;

/**
 * Sums are exact among the newest 100,000 payments, and for calendar periods before them. Where a rolling window begins further back, it
 * begins with the next quarter of an hour; a payment that is judged again there has all of its quarter of an hour before it, when that
 * quarter began before it. Amounts in another unit are measured at the rates given here: new rates need a new book.
 */
export function createBook(rates: Rates, most = MOST_PAYMENTS, slack = SLACK): Book {
  const index = createSpendIndex(rates);
  /** What lies before is put together. */
  let merged_until = -Infinity;
  let merge_at = most + slack;

  function merge(): void {
    const merged = quarterOf(index.fromEnd(most)?.at ?? -Infinity);
    if (merged > merged_until) {
      index.replaceBefore(merged, former => byQuarter(former));
      merged_until = merged;
    }
    // What is put together stays in the index, too.
    merge_at = Math.max(most, index.size()) + slack;
  }

  return {
    before: (unit, from, position) => index.sum(unit, from, position),
    put(payment) {
      const entry = entryOf(payment);
      if (payment.at >= merged_until) index.insert(entry);
      else {
        const place = { at: quarterOf(payment.at), seq: MERGED };
        index.insert({ ...place, amounts: together([...(index.remove(place)?.amounts ?? []), ...entry.amounts]) });
      }
      if (index.size() > merge_at) merge();
    },
    remove(payment) {
      if (payment.at >= merged_until) return index.remove(payment) !== null;
      const place = { at: quarterOf(payment.at), seq: MERGED };
      const entry = index.remove(place);
      if (!entry) return false;
      const key = keyOf(payment);
      const isThere = entry.amounts.some(amount => keyOf(amount) === key);
      const amounts = isThere ? without(entry.amounts, payment) : entry.amounts;
      if (amounts.length > 0) index.insert({ ...place, amounts });
      return isThere;
    },
    size: index.size,
  };
}

/** The place of what was put together: the first of its quarter of an hour. */
const MERGED = -1;

const quarterOf = (at: number): number => Math.floor(at / QUARTER) * QUARTER;

const entryOf = ({ at, seq, denomination, value, usd_micro }: BookPayment): SpendEntry => ({
  at,
  seq,
  amounts: [{ denomination, value, usd_micro, payments: 1 }],
});

const byQuarter = (entries: readonly SpendEntry[]): SpendEntry[] =>
  [...Map.groupBy(entries, entry => quarterOf(entry.at))].map(([at, list]) => ({
    at,
    seq: MERGED,
    amounts: together(list.flatMap(({ amounts }) => amounts)),
  }));

/** Amounts that can be added: of one denomination and priced alike. What costs nothing, or less than a micro-dollar, needs no price. */
function keyOf({ denomination, value, usd_micro }: Money): string {
  if (denomination !== null && value === 0n) return 'nothing';
  const price = usd_micro === null ? 'unpriced' : usd_micro === 0n ? 'worthless' : 'priced';
  return `${price} ${denomination ?? ''}`;
}

const together = (amounts: readonly SpendAmount[]): SpendAmount[] =>
  [...Map.groupBy(amounts, keyOf).values()].map(list => list.reduce((sum, amount) => added(sum, amount, 1)));

const without = (amounts: readonly SpendAmount[], payment: Money): SpendAmount[] =>
  amounts
    .map(amount => (keyOf(amount) === keyOf(payment) ? added(amount, { ...payment, payments: 1 }, -1) : amount))
    .filter(({ payments }) => payments > 0);

function added(sum: SpendAmount, { value, usd_micro, payments }: SpendAmount, sign: 1 | -1): SpendAmount {
  const times = BigInt(sign);
  return {
    denomination: sum.denomination,
    value: sum.value + times * value,
    usd_micro: sum.usd_micro === null || usd_micro === null ? null : sum.usd_micro + times * usd_micro,
    payments: sum.payments + sign * payments,
  };
}
