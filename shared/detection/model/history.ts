import type { AgentHour, Baseline } from './baseline.ts';
import type { Minutes } from './minutes.ts';
import { type Payment, spendOf } from '#shared/events/log/payment.ts';

/** How many of an agent's latest payments are kept. */
export const MOST_PAYMENTS = 256;
/** How many of an agent's latest payees are kept with the time of their first payment. */
export const MOST_NEW_PAYEES = 1_000;

/** The latest payments of one agent, oldest first by when they started, then by id; at most MOST_PAYMENTS. */
export type History = {
  payments: Payment[];
  by_id: Map<string, Payment>;
  /** Every payment that started at this time or later is in `payments`. */
  complete_from: number;
  /** Sum of what the payments cost, in micro-USD. */
  spend_micro: bigint;
  /** Payees this agent is known to have paid, with the time of the first payment; others have to be looked up. */
  paid_payees: Map<string, number>;
  /** When it first paid each of its latest payees, in order; null until first needed. */
  new_payees: number[] | null;
  /** The countries it has paid to, with the position of the first payment to each. */
  countries: Map<string, number>;
  /** Its activity by the hour, oldest first, updated with every event; null until first needed. */
  hours: AgentHour[] | null;
  /** Every hour that began at this time or later is in `hours`. */
  hours_from: number;
  /** Its activity by the minute in the last day or so, for agents so busy that `payments` does not reach back a day; otherwise null. */
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
 * Inserts a payment, or replaces its former state. One that started before `complete_from` is too old to be kept, just as after reloading
 * the history. Returns the payment that is dropped, if any; it may be this one. Changes `history`.
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

/** Simultaneous payments are ordered by id, so that their order of arrival does not matter. */
const isAfter = (a: Payment, b: Payment) =>
  a.started_at > b.started_at || (a.started_at === b.started_at && a.payment_id > b.payment_id);

function indexOf(payments: Payment[], payment: Payment): number {
  for (let at = firstFrom(payments, payment.started_at); at < payments.length; at += 1) {
    if (payments[at] === payment) return at;
  }
  throw new Error('a payment is indexed but not in the ring');
}
