import type { DetectionEvent, Payment } from '#shared/events/log/payment.ts';
import type { Context } from './detector.ts';
import { MILLION } from './exact.ts';

/**
 * What a price is held against: what was paid for the same thing before, the latest first. Of a resource that is asked for by ever another query,
 * that is its `endpoint`; what names none is one thing where its latest prices were one.
 */
export type PriceRecord = { of: 'resource' | 'endpoint' | 'unnamed'; earlier: Payment[] };

type Known = Pick<Context, 'history' | 'payment' | 'payee' | 'endpointOf'>;
type Limits = { least: number; most: number };

/** The record of a payment's price, of at most `most` payments; null where it has fewer than `least`, or may be for several things at once. */
export function priceRecord(
  event: DetectionEvent,
  { history: { payments }, payment, payee, endpointOf }: Known,
  { least, most }: Limits,
): PriceRecord | null {
  const isSame = (other: Payment) => other.resource_key === payment.resource_key;
  if (payment.resource_key !== null) {
    const earlier = earlierOf(payments, payment, isSame, most);
    if (earlier.length >= least) return { of: 'resource', earlier };
    return endpointRecord(event, { payments, payment, payee, endpointOf }, least);
  }
  if (payment.paid_micro < LEAST_UNNAMED_MICRO || !isDearest(event, payment.paid_micro, payee)) return null;
  const earlier = earlierOf(payments, payment, isSame, Math.max(most, 2 * LEAST_OF_ONE));
  const one = onePriceOf(earlier);
  if (earlier.length < least || one === null || isSeveral(payment.paid_micro, one)) return null;
  return { of: 'unnamed', earlier: earlier.slice(0, most) };
}

/** What was paid for the same resource with other queries, by the same tool, among the latest payments for such things. */
function endpointRecord(
  event: DetectionEvent,
  { payments, payment, payee, endpointOf }: Omit<Known, 'history'> & { payments: readonly Payment[] },
  least: number,
): PriceRecord | null {
  const endpoint = endpointOf(payment);
  if (endpoint === undefined || !isDearest(event, payment.paid_micro, payee)) return null;
  const isLike = (other: Payment) => other.resource_key !== null && other.tool_key === payment.tool_key;
  const like = earlierOf(payments, payment, isLike, Infinity);
  if (isOnTheList(payment.paid_micro, like)) return null;
  const earlier = like.slice(0, LATEST_LIKE).filter(other => endpointOf(other) === endpoint);
  const one = onePriceOf(earlier);
  if (earlier.length < least || one === null || !isFarAbove(payment.paid_micro, one)) return null;
  // Where nothing was ever paid for several at once, this is not either.
  const isSingle = earlier.length >= LEAST_SINGLE && earlier.every(({ paid_micro }) => paid_micro === one);
  return isSeveral(payment.paid_micro, one) && !isSingle ? null : { of: 'endpoint', earlier };
}

/** How many of the latest payments to a payee for resources of one tool are looked at for those of one endpoint. */
export const LATEST_LIKE = 20;

/** What was paid so often before is on the payee's price list. */
export const isOnTheList = (amount: bigint, earlier: readonly Pick<Payment, 'paid_micro'>[]): boolean =>
  earlier.filter(({ paid_micro }) => paid_micro >= amount).length >= ON_THE_LIST;
export const ON_THE_LIST = 3;

/** Other queries may cost a little more, whatever ratio somebody has set. */
export const isFarAbove = (amount: bigint, price: bigint): boolean =>
  amount * 2n >= price * 3n && amount - price >= LEAST_MORE_MICRO;
const LEAST_MORE_MICRO = 50_000n;
/** So many payments of one price, and of no multiple of it, are for single calls. */
const LEAST_SINGLE = 12;

/** What has so many payments of one price has one. */
export const LEAST_OF_ONE = 5;
/** What is not named matters from as much on as an outlier does. */
const LEAST_UNNAMED_MICRO = MILLION;

/** Cheap: no other payment of the agent to the payee is known to have been as large. */
export const isDearest = (
  { agent_id }: Pick<DetectionEvent, 'agent_id'>,
  paid_micro: bigint,
  { payers }: Pick<Context['payee'], 'payers'>,
): boolean => Number(paid_micro) / 1e6 > (payers.find(([id]) => id === agent_id)?.[1] ?? 0);

/** A payment may be for several of what it is for: that is no dearer price, whatever it comes to. */
const MOST_SEVERAL = 10;
/** What a payment in another currency is off the whole number by, as rates go. */
const OFF_BY_RATES = 0.015;

function isSeveral(amount: bigint, price: bigint): boolean {
  const times = Number(amount) / Number(price);
  const whole = Math.round(times);
  return whole >= 2 && whole <= MOST_SEVERAL && Math.abs(times - whole) <= OFF_BY_RATES * whole;
}

/** The one price that the latest payments had, but for those that were for several at once; null where they had none, or were too few. */
function onePriceOf(earlier: readonly Payment[]): bigint | null {
  const latest = earlier.slice(0, 2 * LEAST_OF_ONE);
  const [first, ...rest] = latest.slice(0, LEAST_OF_ONE);
  if (!first) return null;
  const lowest = rest.reduce((least, other) => (other.paid_micro < least.paid_micro ? other : least), first);
  let count = 0;
  for (const { price_key, paid_micro } of latest) {
    if (price_key === lowest.price_key) count += 1;
    else if (!isSeveral(paid_micro, lowest.paid_micro)) return null;
    if (count === LEAST_OF_ONE) return lowest.paid_micro;
  }
  return null;
}

/** What was paid to the payee for such things before this payment began, the latest first. */
function earlierOf(
  payments: readonly Payment[],
  { payee_id, started_at }: Payment,
  isSuch: (other: Payment) => boolean,
  most: number,
): Payment[] {
  const earlier: Payment[] = [];
  for (let at = payments.length - 1; at >= 0 && earlier.length < most; at -= 1) {
    const other = payments[at];
    if (
      other &&
      other.payee_id === payee_id &&
      other.settled &&
      other.paid_micro > 0n &&
      isSuch(other) &&
      other.started_at < started_at
    )
      earlier.push(other);
  }
  return earlier;
}
