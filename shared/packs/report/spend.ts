import { type DetectionEvent, isPaid, type Payment, spendOf, withEvent } from '#shared/events/log/payment.ts';
import type { PaymentStatus } from '#shared/values/event_types.ts';
import type { PackEvent } from '#shared/packs/pack_files.ts';
import { type ReportUnit, unitOf } from './money.ts';

/** A payment according to the events of the pack. */
export type PaymentTold = {
  /** When its first event occurred, and when it first counted as spending (null: never); milliseconds since 1970. */
  started_at: number;
  paid_at: number | null;
  agent_id: string;
  payee_id: string;
  rail: string;
  /** The status of its latest event. */
  status: PaymentStatus;
  /** Whether it counts as spending, and how much, in micro-USD, minus refunds. */
  counts: boolean;
  spend_micro: bigint;
  /** The event that its status and, if it counts, its amount come from, and those of its refunds. */
  chain_seqs: number[];
  /** Amounts without a price in dollars, which are not in `spend_micro`: what was paid, and what was refunded. */
  unpriced: Unpriced[];
};
export type Unpriced = { chain_seq: number; refund: boolean; value: string; unit: ReportUnit };

/** Adds up payments by the rule for spend in `shared/events/log/payment.ts`. Payments are identified within their agent. */
export type SpendBook = { add(event: PackEvent): void; payments(): Iterable<PaymentTold> };

type BookEntry = {
  payment: Payment;
  status: PaymentStatus;
  /** The latest event that counts, if it has no price. */
  unpriced: Unpriced | null;
  /** Refunds with a price, by event, and those without; null while there are none. */
  refunds: number[] | null;
  unpriced_refunds: Unpriced[] | null;
};

export function createSpendBook(): SpendBook {
  const book = new Map<string, Map<string, BookEntry>>();
  const once = createPool();
  return {
    add(event) {
      const { payment_id } = event.payment;
      const status = once(event.payment.status);
      const payments = book.get(event.agent_id) ?? new Map<string, BookEntry>();
      if (payments.size === 0) book.set(event.agent_id, payments);
      const held = payments.get(payment_id);
      const payment = withEvent(held?.payment, detectionEvent(event, once));
      if (held) note(held, payment, status, event);
      else payments.set(payment_id, note(begun(payment, status), payment, status, event));
    },
    *payments() {
      for (const [agent_id, payments] of book) for (const held of payments.values()) yield factsOf(agent_id, held);
    },
  };
}

/** Written out: an object spread into another takes a third more memory, and there may be 100,000. */
const begun = (payment: Payment, status: PaymentStatus): BookEntry => ({
  payment,
  status,
  unpriced: null,
  refunds: null,
  unpriced_refunds: null,
});

/** Makes equal texts the same string: each id read from a line of JSON takes its own 50 bytes. */
function createPool() {
  const pool = new Map<string, string>();
  return <T extends string>(text: T): T => {
    if (!pool.has(text)) pool.set(text, text);
    return pool.get(text) as T;
  };
}

function note(held: BookEntry, payment: Payment, status: PaymentStatus, event: PackEvent): BookEntry {
  const { chain_seq, type, amount_usd_micro } = event;
  const { amount } = event.payment;
  const refund = type === 'payment.refunded';
  const unpriced = amount_usd_micro === null ? { chain_seq, refund, value: amount.value, unit: unitOf(amount) } : null;
  held.payment = payment;
  if (payment.latest_seq === chain_seq) held.status = status;
  if (payment.counted_seq === chain_seq) held.unpriced = unpriced;
  if (refund && unpriced) (held.unpriced_refunds ??= []).push(unpriced);
  if (refund && !unpriced) (held.refunds ??= []).push(chain_seq);
  return held;
}

function factsOf(agent_id: string, { payment, status, unpriced, refunds, unpriced_refunds }: BookEntry): PaymentTold {
  const counts = isPaid(payment);
  return {
    started_at: payment.started_at,
    paid_at: payment.paid_at,
    agent_id,
    payee_id: payment.payee_id,
    rail: payment.rail,
    status,
    counts,
    spend_micro: spendOf(payment),
    chain_seqs: counts ? [payment.counted_seq, ...(refunds ?? [])] : [payment.latest_seq],
    unpriced: counts ? [...(unpriced ? [unpriced] : []), ...(unpriced_refunds ?? [])] : [],
  };
}

/** What the rule needs of an event; what only detectors need is left out. */
function detectionEvent(event: PackEvent, once: <T extends string>(text: T) => T): DetectionEvent {
  const { chain_seq, id, type, source_id, agent_id, owner_id, payment } = event;
  return {
    chain_seq,
    id,
    type: once(type),
    occurred_at: Date.parse(event.occurred_at),
    received_at: Date.parse(event.received_at),
    source_id,
    agent_id,
    owner_id,
    payee_id: once(event.payee_id ?? payment.payee.key),
    rail: once(payment.rail),
    payment_id: payment.payment_id,
    usd_micro: event.amount_usd_micro === null ? null : BigInt(event.amount_usd_micro),
    price_key: '',
    resource_key: null,
    tool_key: null,
    tool_call_key: null,
    attempt: null,
    currency: null,
    payee_country: null,
    payee_name_key: null,
    domain_key: null,
  };
}
