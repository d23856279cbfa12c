import { z } from 'zod';
import { type Payment, spendOf } from '#shared/events/log/payment.ts';

/**
 * What agents of the organization paid a payee: of the first `MOST` that paid it, the largest payment of each, in dollars to four digits, for
 * statistics.
 */
export const Payers = z.array(z.tuple([z.string(), z.number()]));
export type Payers = z.infer<typeof Payers>;

const MOST = 16;
/** Smaller payments are not asked about, and leave nothing behind. */
const LEAST_USD = 1;
/** A payment is noted where it exceeds the agent's largest by a tenth. */
const LARGER = 1.1;
/** Two thirds of an amount are as much. */
const AS_MUCH = 1.5;

/** The payers after a payment of an agent; the same ones where it adds nothing. */
export function withPayer(payers: Payers, agent_id: string, payment: Payment): Payers {
  const usd = dollars(payment);
  if (usd < LEAST_USD) return payers;
  const known = payers.find(([id]) => id === agent_id);
  if (known ? usd < known[1] * LARGER : payers.length >= MOST) return payers;
  return [...payers.filter(payer => payer !== known), [agent_id, Number(usd.toPrecision(4))]];
}

/** How many other agents are known to have paid the payee, and how many of them as much at a time. */
export function otherPayers(payers: Payers, agent_id: string, payment: Payment): { all: number; as_much: number } {
  const others = payers.filter(([id]) => id !== agent_id);
  const usd = dollars(payment);
  return { all: others.length, as_much: others.filter(([, most]) => most * AS_MUCH >= usd).length };
}

const dollars = (payment: Payment) => Number(spendOf(payment)) / 1e6;
