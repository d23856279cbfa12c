import type { AgentHour, Baseline } from './baseline.ts';
import type { Minutes } from './minutes.ts';
import { type Payment, spendOf } from '#shared/events/log/payment.ts';

/** How many of an agent's latest payments are kept at hand. */
export const MOST_PAYMENTS = 256;
/** Of how many of the payees that an agent came to last it is kept when it did. */
export const MOST_NEW_PAYEES = 1_000;

/** The latest payments of one agent, oldest first by when they started, then by id; at most MOST_PAYMENTS. */
export type History = {
  payments: Payment[];
  by_id: Map<string, Payment>;
  /** Every payment that started at this time or later is in `payments`. */
  complete_from: number;
  /** Sum of what the payments cost, in micro-USD. */
  spend_micro: bigint;
  /** Payees this agent is known to have paid, and when it first did; those not in it have to be looked up. */
  paid_payees: Map<string, number>;
  /** When it first paid each of the payees that it came to last, in order; null until it is first needed. */
  new_payees: number[] | null;
  /** Countries the agent has paid to, and where in the log it first did. */
  countries: Map<string, number>;
  /** What the agent did hour by hour, oldest first, kept up with every event; null until it is first needed. */
  hours: AgentHour[] | null;
  /** Every hour that began at this time or later is in `hours`. */
  hours_from: number;
  /** What it did minute by minute in the last day or so; for agents so busy that `payments` does not reach back a day, else null. */
  minutes: Minutes | null;
  /** Every minute between these times is in `minutes`. */
  minutes_within: { from: number; to: number };
  /** The baseline as last computed, for events of that hour. */
  baseline: { hour: number; value: Baseline } | null;
};

export const emptyHistory = (): History => ({
  payments: [],
  by_id: new Map(),
  complete_from: -Infinity,
  spend_micro: 0n,
  paid_payees: new Map(),
  new_payees: null,
  countries: new Map(),
  hours: null,
  hours_from: -Infinity,
  minutes: null,
  minutes_within: { from: -Infinity, to: Infinity },
  baseline: null,
});

/**
 * Puts a payment in its place, or in the place of its former self. One that started before `complete_from` is too old to be kept,
 * as it would be after the history had been loaded again. Returns the payment that it leaves no room for, if any; it may be this one.
 * Changes `history`.
 */
export function remember(history: History, payment: Payment): Payment | null {
  const { payments, by_id } = history;
  const former = by_id.get(payment.payment_id);
  if (former) {
    history.spend_micro -= spendOf(former);
    by_id.delete(payment.payment_id);
    payments.splice(indexOf(payments, former), 1);
  }
  if (payment.started_at < history.complete_from) return payment;
  insert(payments, payment);
  by_id.set(payment.payment_id, payment);
  history.spend_micro += spendOf(payment);
  if (payments.length <= MOST_PAYMENTS) return null;
  const oldest = payments.shift();
  if (!oldest) return null;
  by_id.delete(oldest.payment_id);
  history.spend_micro -= spendOf(oldest);
  history.complete_from = Math.max(history.complete_from, oldest.started_at + 1);
  return oldest;
}

/** Position of the first payment that started at `time` or later. */
export function firstFrom(payments: readonly Payment[], time: number): number {
  let low = 0;
  let high = payments.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((payments[middle]?.started_at ?? 0) < time) low = middle + 1;
    else high = middle;
  }
  return low;
}

function insert(payments: Payment[], payment: Payment): void {
  let at = payments.length;
  for (let before = payments[at - 1]; before && isAfter(before, payment); before = payments[at - 1]) at -= 1;
  if (at === payments.length) payments.push(payment);
  else payments.splice(at, 0, payment);
}

/** At one moment by their ids, so that it does not matter who came first. */
const isAfter = (a: Payment, b: Payment) =>
  a.started_at > b.started_at || (a.started_at === b.started_at && a.payment_id > b.payment_id);

function indexOf(payments: Payment[], payment: Payment): number {
  for (let at = firstFrom(payments, payment.started_at); at < payments.length; at += 1) {
    if (payments[at] === payment) return at;
  }
  throw new Error('a payment is indexed but not in the ring');
}
