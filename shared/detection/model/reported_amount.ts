import { moneyText } from '#shared/mandates/money_text.ts';
import { type Denominated, denominationOf, worthOf } from '#shared/values/denomination.ts';
import { formatUsdMicro } from '#shared/values/money.ts';
import { ratio } from './score.ts';

/** What a report says was paid: so many units of its currency or asset. */
export type ReportedAmount = Denominated & { value: string };

/** What is compared: an amount as reported, and its price in micro-USD (null: none is known). */
export type Priced = { amount: ReportedAmount; usd_micro: bigint | null };

/** Whether an amount is in dollars or a dollar token: then its price tells all of it. */
const isInDollars = ({ amount }: Priced) => worthOf(denominationOf(amount))?.currency === 'USD';

/** Whether two amounts are worth different currencies, so that comparing them takes an exchange rate. */
export function areExchanged(a: Priced, b: Priced): boolean {
  const [one, other] = [a, b].map(({ amount }) => worthOf(denominationOf(amount))?.currency ?? denominationOf(amount));
  return one !== other;
}

/**
 * By how much the price of an exchanged amount may be off: the service has a reference rate a day, and the bank that exchanges takes the
 * rate of its hour, and a fee of up to 3 %.
 */
export const MOST_OF_EXCHANGE = 0.05;

/** Whether two amounts in different currencies may be one, exchanged by a bank. */
export function mayBeOneExchanged(a: Priced, b: Priced): boolean {
  if (!areExchanged(a, b) || !a.usd_micro || !b.usd_micro) return false;
  return Math.abs(Math.log(ratio(a.usd_micro, b.usd_micro))) <= MOST_OF_EXCHANGE;
}

/** An amount as it stands on a statement: `€68.20`; null where that is its price in dollars, or it is in no known unit. */
export function ownText(priced: Priced): string | null {
  const { amount } = priced;
  return isInDollars(priced) || worthOf(denominationOf(amount)) === null ? null : moneyText(amount.value, amount);
}

/** The same with its price beside it: `€68.20 ($77.48)`. */
export function ownTextPriced(priced: Priced): string | null {
  const text = ownText(priced);
  return text === null || priced.usd_micro === null ? text : `${text} (${formatUsdMicro(priced.usd_micro)})`;
}
