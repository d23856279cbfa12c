import type { EventType, Rail } from '#shared/values/event_types.ts';

/** The part of an event that payments are summed from. Times are milliseconds since 1970, money is micro-USD (null: not priced). */
export type PastEvent = {
  chain_seq: number;
  type: EventType;
  occurred_at: number;
  agent_id: string;
  payee_id: string;
  rail: Rail;
  payment_id: string;
  usd_micro: bigint | null;
  /** Equal amounts in one denomination have equal keys. */
  price_key: string;
  /** What was paid for; null when the event does not say. */
  resource_key: string | null;
  /** The tool that was called; null when the event does not say. */
  tool_key: string | null;
  tool_call_key: string | null;
  attempt: number | null;
};

export type DetectionEvent = PastEvent & {
  id: string;
  received_at: number;
  source_id: string;
  owner_id: string;
  /** The currency of the amount (ISO 4217); null of a token. */
  currency: string | null;
  /** What the event says of the payee: its country (alpha-2), its folded name, the host it sells at. */
  payee_country: string | null;
  payee_name_key: string | null;
  domain_key: string | null;
};

/** The sum of one payment's events, in whatever order they came. */
export type Payment = {
  payment_id: string;
  payee_id: string;
  rail: Rail;
  price_key: string;
  resource_key: string | null;
  tool_key: string | null;
  tool_call_key: string | null;
  attempt: number | null;
  /** When its first event occurred. */
  started_at: number;
  /** When it first counted as spending; null while it never has. */
  paid_at: number | null;
  /** Its latest event by time of occurrence, then by arrival. */
  latest_at: number;
  latest_seq: number;
  latest_type: EventType;
  /** How many of its events are known, and which of them came last. */
  events: number;
  newest_seq: number;
  settled: boolean;
  /** When it was first settled, and when it last failed or was canceled; null: never. */
  settled_at: number | null;
  undone_at: number | null;
  /** The price it was settled at, see `price_key`; and whether it was settled at a second price too. */
  settled_key: string | null;
  settled_unlike: boolean;
  /** The largest of what was settled; null: nothing, or not priced. Whom it was settled for last, as it arrived. */
  largest_settled_micro: bigint | null;
  settled_payee: string | null;
  /** What was authorized last (by time of occurrence), at which price and for whom; null: nothing, or not priced. */
  authorized_at: number | null;
  authorized_micro: bigint | null;
  authorized_key: string | null;
  authorized_payee: string | null;
  /** The latest event that counts: when it occurred, where it stands, its amount. */
  counted_at: number;
  counted_seq: number;
  paid_micro: bigint;
  /** What was refunded, and the largest of those refunds. */
  refunded_micro: bigint;
  largest_refund_micro: bigint;
};

/** Spend counts a payment once: authorized, settled and disputed count, failed and canceled do not, refunds subtract. */
const counting = new Set<EventType>(['payment.authorized', 'payment.settled', 'payment.disputed']);
const undone = new Set<EventType>(['payment.failed', 'payment.canceled']);

export const isUndone = (type: EventType) => undone.has(type);

export const counts = (type: EventType) => counting.has(type);

/** Whether money has left, by the events received so far. */
export const isPaid = (payment: Payment) => payment.paid_at !== null && !undone.has(payment.latest_type);

/** Whether an event is the first with which its payment counts as money that has left. */
export const beginsSpending = (type: EventType, payment: Payment, former: Payment | undefined): boolean =>
  counts(type) && isPaid(payment) && !(former && isPaid(former));

/** What the payment cost, in micro-USD: 0 while it does not count or could not be priced. */
export function spendOf(payment: Payment): bigint {
  if (!isPaid(payment)) return 0n;
  if (payment.refunded_micro === 0n) return payment.paid_micro;
  const spend = payment.paid_micro - payment.refunded_micro;
  return spend > 0n ? spend : 0n;
}

/** Returns the payment after one more event; `before` is undefined for the first. Changes neither argument. */
export function withEvent(before: Payment | undefined, event: PastEvent): Payment {
  const { payment_id, occurred_at, chain_seq, type, usd_micro } = event;
  const isLatest = !before || isLater(event, before.latest_at, before.latest_seq);
  const isCounted = counting.has(type) && (!before || isLater(event, before.counted_at, before.counted_seq));
  const isSettled = type === 'payment.settled';
  const refund = type === 'payment.refunded' ? (usd_micro ?? 0n) : 0n;
  const isAuthorized = type === 'payment.authorized' && occurred_at >= (before?.authorized_at ?? -Infinity);
  return {
    payment_id,
    payee_id: isLatest ? event.payee_id : before.payee_id,
    rail: isLatest ? event.rail : before.rail,
    // Of what counts, if anything does: a refund of a part has another amount.
    price_key: isCounted || (isLatest && !before?.counted_seq) ? event.price_key : (before?.price_key ?? ''),
    resource_key: event.resource_key ?? before?.resource_key ?? null,
    tool_key: event.tool_key ?? before?.tool_key ?? null,
    tool_call_key: event.tool_call_key ?? before?.tool_call_key ?? null,
    attempt: event.attempt ?? before?.attempt ?? null,
    started_at: Math.min(occurred_at, before?.started_at ?? Infinity),
    paid_at: counting.has(type) ? Math.min(occurred_at, before?.paid_at ?? Infinity) : (before?.paid_at ?? null),
    latest_at: isLatest ? occurred_at : before.latest_at,
    latest_seq: isLatest ? chain_seq : before.latest_seq,
    latest_type: isLatest ? type : before.latest_type,
    events: (before?.events ?? 0) + 1,
    newest_seq: Math.max(chain_seq, before?.newest_seq ?? 0),
    settled: isSettled || (before?.settled ?? false),
    settled_at: isSettled ? Math.min(occurred_at, before?.settled_at ?? Infinity) : (before?.settled_at ?? null),
    undone_at: undone.has(type) ? Math.max(occurred_at, before?.undone_at ?? -Infinity) : (before?.undone_at ?? null),
    largest_settled_micro: isSettled
      ? largest(usd_micro, before?.largest_settled_micro ?? null)
      : (before?.largest_settled_micro ?? null),
    settled_payee: isSettled ? event.payee_id : (before?.settled_payee ?? null),
    settled_key: before?.settled_key ?? (isSettled ? event.price_key : null),
    settled_unlike:
      (before?.settled_unlike ?? false) || (isSettled && (before?.settled_key ?? event.price_key) !== event.price_key),
    authorized_at: isAuthorized ? occurred_at : (before?.authorized_at ?? null),
    authorized_micro: isAuthorized ? usd_micro : (before?.authorized_micro ?? null),
    authorized_key: isAuthorized ? event.price_key : (before?.authorized_key ?? null),
    authorized_payee: isAuthorized ? event.payee_id : (before?.authorized_payee ?? null),
    counted_at: isCounted ? occurred_at : (before?.counted_at ?? -Infinity),
    counted_seq: isCounted ? chain_seq : (before?.counted_seq ?? 0),
    paid_micro: isCounted ? (usd_micro ?? 0n) : (before?.paid_micro ?? 0n),
    refunded_micro: (before?.refunded_micro ?? 0n) + refund,
    largest_refund_micro: before && before.largest_refund_micro > refund ? before.largest_refund_micro : refund,
  };
}

const largest = (a: bigint | null, b: bigint | null) => (a === null || (b !== null && b > a) ? b : a);

/** Later by time of occurrence, then by arrival. */
const isLater = ({ occurred_at, chain_seq }: PastEvent, at: number, seq: number) =>
  occurred_at > at || (occurred_at === at && chain_seq > seq);
