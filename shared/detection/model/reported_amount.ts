import { moneyText } from '#shared/mandates/money_text.ts';
import { type Denominated, denominationOf, worthOf } from '#shared/values/denomination.ts';
import { formatUsdMicro } from '#shared/values/money.ts';

/** What a report says was paid: so many units of its currency or asset. */
export type ReportedAmount = Denominated & { value: string };

/** What is compared: an amount as reported, and its price in micro-USD (null: none is known). */
export type Priced = { amount: ReportedAmount; usd_micro: bigint | null };

/**
 * Two amounts in one unit. `exchanged`: they are worth different currencies, so that the unit is the micro-dollar, at the rates of their days; else it
 * is exact. `cent`: a hundredth of the currency in that unit; null where it is not known.
 */
type Compared = { a: bigint; b: bigint; exchanged: boolean; cent: bigint | null };

/** Two amounts beside each other; null where they can only be compared by price, and one has none. */
export function compared(a: Priced, b: Priced): Compared | null {
  const [ofA, ofB] = [denominationOf(a.amount), denominationOf(b.amount)];
  const [worthA, worthB] = [worthOf(ofA), worthOf(ofB)];
  if (worthA && worthB && worthA.currency === worthB.currency) {
    const places = Math.max(worthA.decimals, worthB.decimals);
    const scaled = ({ amount }: Priced, decimals: number) => BigInt(amount.value) * 10n ** BigInt(places - decimals);
    const cent = places < 2 ? null : 10n ** BigInt(places - 2);
    return { a: scaled(a, worthA.decimals), b: scaled(b, worthB.decimals), exchanged: false, cent };
  }
  if (ofA === ofB) return { a: BigInt(a.amount.value), b: BigInt(b.amount.value), exchanged: false, cent: null };
  if (a.usd_micro === null || b.usd_micro === null) return null;
  return { a: a.usd_micro, b: b.usd_micro, exchanged: true, cent: null };
}

/**
 * By how much the price of an exchanged amount may be off: the service has a reference rate a day, and the bank that exchanges takes the
 * rate of its hour, and a fee of up to 3 %.
 */
export const MOST_OF_EXCHANGE = 0.05;

/** Whether two amounts are one, counted in two units; those in different currencies may be one that a bank exchanged. */
export function mayBeOne(a: Priced, b: Priced): boolean {
  const both = compared(a, b);
  if (!both) return false;
  if (!both.exchanged) return both.a === both.b || (both.cent !== null && areOneInCents(both.a, both.b, both.cent));
  const [less, more] = both.a < both.b ? [both.a, both.b] : [both.b, both.a];
  return more * 100n <= less * BigInt(100 + 100 * MOST_OF_EXCHANGE);
}

/** Whether one amount is the other in whole cents. */
const areOneInCents = (a: bigint, b: bigint, cent: bigint) => a === inCents(b, cent) || b === inCents(a, cent);
const inCents = (amount: bigint, cent: bigint) => ((amount + cent / 2n) / cent) * cent;

/** An amount as it stands on a statement, such as `€68.20`; null where its price in dollars says as much, or its unit is not known. */
export function ownText({ amount }: Priced): string | null {
  const currency = worthOf(denominationOf(amount))?.currency;
  return currency === undefined || currency === 'USD' ? null : moneyText(amount.value, amount);
}

/** The same with its price beside it: `€68.20 ($77.48)`. */
export function ownTextPriced(priced: Priced): string | null {
  const text = ownText(priced);
  return text === null || priced.usd_micro === null ? text : `${text} (${formatUsdMicro(priced.usd_micro)})`;
}
