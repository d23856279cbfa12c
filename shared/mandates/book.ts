import type { Meter, Position } from './evaluation.ts';
import type { AmountPaid } from './scale.ts';
import { type SpendAmount, createSpendIndex, type SpendEntry } from './spend_index.ts';
import type { Rates } from '#shared/values/price_in_usd.ts';
import { MINUTE } from '#shared/values/time.ts';

/**
 * The payments under one mandate, in memory: the position of each, and its cost after refunds. A fully refunded payment costs nothing and
 * still counts as one; a failed or canceled one must be removed.
 */
export type Book = Meter & {
  /** Adds a payment. Entries are never changed: remove the former one and add the new one. */
  put(payment: BookPayment): void;
  /** Removes a payment, given as it was added; false if it is not there. */
  remove(payment: BookPayment): boolean;
  /** The size in entries, for a cache of many books. */
  size(): number;
};

export type BookPayment = Position & AmountPaid;

/** The newest payments are kept individually; older ones are merged by quarter of an hour. */
const MOST_PAYMENTS = 100_000;
/** How many payments are merged at a time. */
const SLACK = 10_000;
/** Clocks differ from UTC by whole quarters of an hour, so no calendar period begins within one. */
const QUARTER = 15 * MINUTE;

/**
 * Sums are exact for the newest 100,000 payments, and for calendar periods before them. A rolling window that begins further back begins
 * with the next quarter of an hour; a payment that is judged again there has its whole quarter of an hour before it, if the window began
 * before that. Amounts in another unit are converted at these rates: new rates need a new book.
 */
export function createBook(rates: Rates, most = MOST_PAYMENTS, slack = SLACK): Book {
  const index = createSpendIndex(rates);
  /** Payments before this time are merged. */
  let merged_until = -Infinity;
  let merge_at = most + slack;

  function merge(): void {
    const merged = quarterOf(index.fromEnd(most)?.at ?? -Infinity);
    if (merged > merged_until) {
      index.replaceBefore(merged, former => byQuarter(former));
      merged_until = merged;
    }
    // Merged payments stay in the index, too.
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

/** The position of merged payments: the first of their quarter of an hour. */
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

/** Amounts can be added if they have the same denomination and pricing. One of nothing, or less than a micro-dollar, needs no price. */
function keyOf({ denomination, value, usd_micro }: AmountPaid): string {
  if (denomination !== null && value === 0n) return 'nothing';
  const price = usd_micro === null ? 'unpriced' : usd_micro === 0n ? 'worthless' : 'priced';
  return `${price} ${denomination ?? ''}`;
}

const together = (amounts: readonly SpendAmount[]): SpendAmount[] =>
  [...Map.groupBy(amounts, keyOf).values()].map(list => list.reduce((sum, amount) => added(sum, amount, 1)));

const without = (amounts: readonly SpendAmount[], payment: AmountPaid): SpendAmount[] =>
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
