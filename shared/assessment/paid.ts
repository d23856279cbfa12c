import { counts, isUndone } from '#shared/events/log/payment.ts';
import type { Position } from '#shared/mandates/evaluation.ts';
import type { ReportedEvent } from '#shared/events/log/reported_event.ts';

/**
 * What one payment's events under a mandate add up to, whatever order they came in: its latest event decides whether it counts, its
 * latest counting event how much, its first counting event when. Amounts are in `denomination`; times are milliseconds since 1970.
 */
export type PaymentSum = {
  /** Where it stands: its first counting event. Null while none has counted. */
  paid: Position | null;
  /** A late report moved it to an earlier position: its events may have been judged at the later one. */
  moved: boolean;
  latest: Position;
  undone: boolean;
  /** The latest event that counts; null while none has. */
  counted: Position | null;
  /** All events that count say the same amount: what comes between them changes nothing. False where that is not known. */
  alike: boolean;
  denomination: string;
  value: bigint;
  usd_micro: bigint | null;
  /** The denomination that all refunds were in; `mixed` when they differ, null while there is none. */
  refunded_in: string | null;
  refunded_value: bigint;
  refunded_usd_micro: bigint;
};

/** An event that is checked against mandates. */
export type PaidEvent = Pick<ReportedEvent, 'type' | 'occurred_at' | 'amount' | 'usd_micro'> & { chain_seq: number };

/** The payment after one more of its events; null while there is nothing that a budget could count. */
export function withPaidEvent(before: PaymentSum | null, event: PaidEvent): PaymentSum | null {
  const { type, amount } = event;
  // A request costs nothing, and takes nothing back.
  if (type === 'payment.requested') return before;
  const at = { at: event.occurred_at, seq: event.chain_seq };
  const isLatest = !before || isAfter(at, before.latest);
  const isPaid = counts(type);
  const isCounted = isPaid && (!before?.counted || isAfter(at, before.counted));
  const isFirst = isPaid && (!before?.paid || isAfter(before.paid, at));
  const isRefund = type === 'payment.refunded';
  const denomination = isCounted || !before ? amount.denomination : before.denomination;
  return {
    paid: isFirst ? at : (before?.paid ?? null),
    moved: (before?.moved ?? false) || (isFirst && before !== null && before.paid !== null),
    latest: isLatest ? at : before.latest,
    undone: isLatest ? isUndone(type) : before.undone,
    counted: isCounted ? at : (before?.counted ?? null),
    alike: isPaid ? (before?.counted ? before.alike && saysAsMuch(before, event) : true) : (before?.alike ?? true),
    denomination,
    value: isCounted ? amount.value : (before?.value ?? 0n),
    usd_micro: isCounted ? event.usd_micro : (before?.usd_micro ?? null),
    refunded_in: isRefund ? both(before?.refunded_in ?? null, amount.denomination) : (before?.refunded_in ?? null),
    refunded_value: (before?.refunded_value ?? 0n) + (isRefund ? amount.value : 0n),
    refunded_usd_micro: (before?.refunded_usd_micro ?? 0n) + (isRefund ? (event.usd_micro ?? 0n) : 0n),
  };
}

const saysAsMuch = ({ denomination, value, usd_micro }: PaymentSum, { amount, ...event }: PaidEvent) =>
  amount.denomination === denomination && amount.value === value && event.usd_micro === usd_micro;

/** Whether it always cost what it costs now: nothing came back, and all that counts says the same amount. */
export const isSteady = ({ alike, undone, refunded_in }: PaymentSum): boolean =>
  alike && !undone && refunded_in === null;

/** Where an event of a payment is judged: where the payment stands, or at its own place when that is earlier, as a request's is. */
export const positionOf = (own: Position, payment: PaymentSum | null): Position =>
  payment?.paid && isAfter(own, payment.paid) ? payment.paid : own;

/** Whether the payment is spent, and stands later than this: what comes after this place has it. */
export const standsAfter = (payment: PaymentSum | null, place: Position): boolean => {
  const spent = spentOn(payment);
  return spent !== null && isAfter(spent.position, place);
};

const both = (previous: string | null, denomination: string) =>
  previous === null || previous === denomination ? denomination : 'mixed';

/**
 * What a payment costs now; null while it does not count. A refund in another denomination can be subtracted in dollars only, and what
 * remains then has no denomination of its own.
 */
export function spentOn(payment: PaymentSum | null): SpendRecord | null {
  if (!payment?.paid || payment.undone) return null;
  return costOf(payment.paid, payment);
}

type Money = Pick<
  PaymentSum,
  'denomination' | 'value' | 'usd_micro' | 'refunded_in' | 'refunded_value' | 'refunded_usd_micro'
>;

/** The amount that remains of a payment at a position. */
export function costOf(
  position: Position,
  { denomination, value, usd_micro, refunded_in, refunded_value, refunded_usd_micro }: Money,
): SpendRecord {
  const isPlain = refunded_in === null || refunded_in === denomination;
  return {
    position,
    denomination: isPlain ? denomination : null,
    value: isPlain ? atLeastNothing(value - refunded_value) : 0n,
    usd_micro: usd_micro === null ? null : atLeastNothing(usd_micro - refunded_usd_micro),
  };
}

export type SpendRecord = { position: Position; denomination: string | null; value: bigint; usd_micro: bigint | null };

/** Later by time, then by place in the log. */
export const isAfter = (a: Position, b: Position): boolean => a.at > b.at || (a.at === b.at && a.seq > b.seq);

/** The later of two places; null where there is neither. */
export const later = (a: Position | null, b: Position | null): Position | null =>
  a === null || (b !== null && isAfter(b, a)) ? b : a;

const atLeastNothing = (value: bigint) => (value > 0n ? value : 0n);
