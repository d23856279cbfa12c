import { z } from 'zod';
import { type Payment, spendOf } from '#shared/events/log/payment.ts';

/**
 * What agents of the organization paid a payee: of the first `MOST` that paid it, the largest payment of each, in dollars to four digits, for
 * statistics, and the currencies that it was paid in, as `EUR USD`.
 */
export const Payers = z.array(z.tuple([z.string(), z.number(), z.string().optional()]));
export type Payers = z.infer<typeof Payers>;

const MOST = 16;
/** Smaller payments are not asked about, and leave nothing behind. */
const LEAST_USD = 1;
/** A payment is noted where it exceeds the agent's largest by a tenth. */
const LARGER = 1.1;
/** Two thirds of an amount are as much. */
const AS_MUCH = 1.5;

/** The payers after a payment of an agent, in a currency if that is known; the same ones where it adds nothing. */
export function withPayer(payers: Payers, agent_id: string, payment: Payment, currency: string | null = null): Payers {
  const usd = dollars(payment);
  if (usd < LEAST_USD) return payers;
  const known = payers.find(([id]) => id === agent_id);
  const [, most = 0, before] = known ?? [];
  const currencies = withCurrency(before, currency);
  if (known ? usd < most * LARGER && currencies === before : payers.length >= MOST) return payers;
  const largest = usd < most * LARGER ? most : Number(usd.toPrecision(4));
  const others = payers.filter(payer => payer !== known);
  return [...others, currencies === undefined ? [agent_id, largest] : [agent_id, largest, currencies]];
}

/** Of more currencies nothing is said. */
const MOST_CURRENCIES = 4;

function withCurrency(known: string | undefined, currency: string | null): string | undefined {
  const list = known?.split(' ') ?? [];
  return currency === null || list.includes(currency) || list.length >= MOST_CURRENCIES
    ? known
    : [...list, currency].toSorted().join(' ');
}

/** The currency in which an agent has always paid the payee; null: there is none, or it is not known. */
export function currencyPaid(payers: Payers, agent_id: string): string | null {
  const currencies = payers.find(([id]) => id === agent_id)?.[2];
  return currencies === undefined || currencies.includes(' ') ? null : currencies;
}

/** How many other agents are known to have paid the payee, and how many of them as much at a time. */
export function otherPayers(payers: Payers, agent_id: string, payment: Payment): { all: number; as_much: number } {
  const others = payers.filter(([id]) => id !== agent_id);
  const usd = dollars(payment);
  return { all: others.length, as_much: others.filter(([, most]) => most * AS_MUCH >= usd).length };
}

const dollars = (payment: Payment) => Number(spendOf(payment)) / 1e6;
