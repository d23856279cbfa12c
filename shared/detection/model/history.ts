import type { AgentHour, Baseline } from './baseline.ts';
import type { Minutes } from './minutes.ts';
import type { Span } from './spans.ts';
import { type Payment, spendOf } from '#shared/events/log/payment.ts';
import { partitionPoint } from '#shared/values/partition_point.ts';

/** How many of an agent's latest payments are kept. */
export const MOST_PAYMENTS = 256;
/** Fewer of them from before the last day say little of an agent that has a longer record. */
export const LEAST_AT_HAND = 32;
/** How many of an agent's latest payees are kept with the time of their first payment. */
export const MOST_NEW_PAYEES = 1_000;

/** The latest payments of one agent, oldest first by when they started, then by id; at most MOST_PAYMENTS. */
export type History = {
  payments: Payment[];
  by_id: Map<string, Payment>;
  /** Those that ever counted as spending, in the order in which they first did, then in that of `payments`. */
  paid: Payment[];
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
  /** Every minute of these times, which are whole hours, is in `minutes`; what is there of others is not all. */
  minutes_within: readonly Span[];
  /** The baseline as last computed, for events of that hour. */
  baseline: { hour: number; value: Baseline } | null;
};

export const emptyHistory = (): History => ({
  payments: [],
  by_id: new Map(),
  paid: [],
  complete_from: -Infinity,
  spend_micro: 0n,
  paid_payees: new Map(),
  new_payees: null,
  countries: new Map(),
  hours: null,
  hours_from: -Infinity,
  minutes: null,
  minutes_within: [],
  baseline: null,
});

/**
 * Inserts a payment, or replaces its former state. One that started before `complete_from` is too old to be kept, just as after reloading
 * the history. Returns the payment that is dropped, if any; it may be this one. Changes `history`.
 */
export function remember(history: History, payment: Payment): Payment | null {
  const { payments, paid, by_id } = history;
  const former = by_id.get(payment.payment_id);
  if (former) forget(history, former);
  if (payment.started_at < history.complete_from) return payment;
  insert(payments, payment, isAfter);
  if (payment.paid_at !== null) insert(paid, payment, isPaidAfter);
  by_id.set(payment.payment_id, payment);
  history.spend_micro += spendOf(payment);
  const [oldest] = payments;
  if (!oldest || payments.length <= MOST_PAYMENTS) return null;
  forget(history, oldest);
  history.complete_from = Math.max(history.complete_from, oldest.started_at + 1);
  return oldest;
}

/** Position of the first payment that started at `time` or later. */
export const firstFrom = (payments: readonly Payment[], time: number): number =>
  partitionPoint(payments.length, index => (payments[index]?.started_at ?? 0) >= time);

/** Those of a history's `paid` that first counted from `from` until before `to`. */
export function paidWithin({ paid }: History, from: number, to: number): Payment[] {
  const place = (time: number) => firstPaidFrom(paid, time);
  return paid.slice(place(from), place(to));
}

const firstPaidFrom = (paid: readonly Payment[], time: number): number =>
  partitionPoint(paid.length, index => (paid[index]?.paid_at ?? 0) >= time);

/** Takes a payment out of `history`. */
function forget(history: History, payment: Payment): void {
  const { payments, paid, by_id } = history;
  history.spend_micro -= spendOf(payment);
  by_id.delete(payment.payment_id);
  payments.splice(payments.indexOf(payment, firstFrom(payments, payment.started_at)), 1);
  if (payment.paid_at !== null) paid.splice(paid.indexOf(payment, firstPaidFrom(paid, payment.paid_at)), 1);
}

/** Puts an entry in its place, which is near the end for most. */
function insert<T>(entries: T[], entry: T, isAfter: (a: T, b: T) => boolean): void {
  let at = entries.length;
  for (let before = entries[at - 1]; before && isAfter(before, entry); before = entries[at - 1]) at -= 1;
  if (at === entries.length) entries.push(entry);
  else entries.splice(at, 0, entry);
}

/** Simultaneous payments are ordered by id, so that their order of arrival does not matter. */
const isAfter = (a: Payment, b: Payment) =>
  a.started_at > b.started_at || (a.started_at === b.started_at && a.payment_id > b.payment_id);

const isPaidAfter = (a: Payment, b: Payment) =>
  (a.paid_at ?? 0) > (b.paid_at ?? 0) || (a.paid_at === b.paid_at && isAfter(a, b));
