import { z } from 'zod';
import { type Payment, spendOf } from '#shared/events/log/payment.ts';

/**
 * In which currency (ISO 4217) agents of the organization pay a payee: of the first `MOST_AGENTS`, each with the number of its payments, counted up to
 * `LEAST_PAID`. The currency is empty where there were several, or tokens, which have none.
 */
export const CurrenciesPaid = z.array(z.tuple([z.string(), z.string(), z.number()]));
export type CurrenciesPaid = z.infer<typeof CurrenciesPaid>;

const MOST_AGENTS = 16;
/** So many payments show in which currency an agent pays a payee. */
const LEAST_PAID = 3;
const SEVERAL = '';

/** Whether a payment is worth noting its currency: cents say nothing, nor does what has no price. */
export const isWorthACurrency = (payment: Payment): boolean => spendOf(payment) >= LEAST_MICRO;
const LEAST_MICRO = 1_000_000n;

/**
 * The currencies after an event of a payment that counts; `currency` is null for a token, and `begins` tells whether the payment is new. The same ones
 * where that adds nothing.
 */
export function withCurrency(
  currencies: CurrenciesPaid,
  agent_id: string,
  currency: string | null,
  begins: boolean,
): CurrenciesPaid {
  const own = currencies.find(([id]) => id === agent_id);
  const [, usual = currency ?? SEVERAL, payments = 0] = own ?? [];
  if (own ? usual === SEVERAL : currencies.length >= MOST_AGENTS) return currencies;
  const isUsual = currency === usual;
  if (isUsual && (payments >= LEAST_PAID || !begins)) return currencies;
  const others = currencies.filter(entry => entry !== own);
  return [...others, isUsual ? [agent_id, usual, payments + 1] : [agent_id, SEVERAL, 0]];
}

/** The currency in which all payments of an agent to the payee were that are known; null where that is none, or they are too few. */
export function currencyPaid(currencies: CurrenciesPaid, agent_id: string): string | null {
  const [, currency = SEVERAL, payments = 0] = currencies.find(([id]) => id === agent_id) ?? [];
  return currency === SEVERAL || payments < LEAST_PAID ? null : currency;
}
