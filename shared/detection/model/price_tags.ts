import type { Payment } from '#shared/events/log/payment.ts';
import { priceKey } from '#shared/values/amount_keys.ts';

/** Up to so many units a sum of any whole number of them may be a price tag, and with these cents; a larger one where it ends in 0, 5 or 99. */
const [MOST_ANY, CENTS] = [2_500, [0, 50, 95, 99]];

/** Currencies with cents, and how many US dollars one was worth, widely: price tags are looked for among these. */
const currencies: readonly (readonly [code: string, least: number, most: number])[] = [
  ['EUR', 0.95, 1.35],
  ['GBP', 1.1, 1.6],
  ['CHF', 0.9, 1.4],
  ['CAD', 0.6, 0.95],
  ['AUD', 0.55, 0.9],
];

/**
 * Whether a sum is one of a price tag in another currency than dollars, such as EUR 499 or GBP 49.95. A payment is known by its dollars and by the
 * key of its price, with which the sums are compared that it may be. Costs a hash for each, some thousands.
 */
export function isPriceTag({ paid_micro, price_key }: Pick<Payment, 'paid_micro' | 'price_key'>): boolean {
  const usd = Number(paid_micro) / 1e6;
  const is = (code: string, units: number, cents: number) => priceKey(String(units * 100 + cents), code) === price_key;
  return currencies.some(([code, least, most]) => {
    const [first, last] = [Math.floor(usd / most), Math.ceil(usd / least)];
    for (let units = first; units <= Math.min(last, MOST_ANY); units += 1)
      if (CENTS.some(cents => is(code, units, cents))) return true;
    // Of larger sums no more than some hundreds are asked about.
    const step = 5 * 10 ** Math.max(0, Math.floor(Math.log10(last / MOST_ANY)));
    for (let units = Math.floor(first / step) * step; units <= last; units += step)
      if (units > MOST_ANY && (is(code, units, 0) || (units % 100 === 0 && is(code, units - 1, 0)))) return true;
    return false;
  });
}
