import { isPaid, type Payment } from '#shared/events/log/payment.ts';
import type { Context } from './detector.ts';
import { MILLION, millionths } from './exact.ts';

/** A fixed price that has risen: what it was, and the payments since, oldest first and with the one at hand. */
export type RisenPrice = { before: bigint; since: Payment[] };

/** So many payments of one price make it a fixed one, and so many of another in a row a new one. */
const [LEAST_FIXED, LEAST_SINCE] = [12, 5];

/**
 * Whether with this payment, which has just been paid, the rise of a fixed price has come to `least` more in all, in millionths of a dollar, where it
 * is to at least `ratio` times the price; null where it has not, or had before. In whatever order payments arrive, each adds one to those that were paid. A rise that
 * comes to as much in one payment is told with the first.
 */
export function risenPrice(
  { history: { payments }, payment }: Pick<Context, 'history' | 'payment'>,
  { ratio, least }: { ratio: number; least: bigint },
): RisenPrice | null {
  const { paid_micro: price, payee_id, resource_key } = payment;
  const most_before = (price * MILLION) / millionths(ratio);
  const least_rise = price - most_before;
  if (resource_key === null || most_before === 0n || least_rise === 0n || least_rise >= least) return null;
  // Of more than these any such rise came to as much before.
  const most = Math.max(LEAST_SINCE, Number(least / least_rise) + 1);
  const isSuch = (other: Payment) =>
    other.resource_key === resource_key && other.payee_id === payee_id && other.paid_micro > 0n && isPaid(other);
  const place = payments.lastIndexOf(payment);
  if (place < 0) return null;
  const since = [payment];
  for (let at = place + 1; at < payments.length && since.length <= most; at += 1) {
    const other = payments[at];
    if (!other || !isSuch(other)) continue;
    if (other.paid_micro !== price) break;
    since.push(other);
  }
  let before: bigint | null = null;
  let compared = 0;
  for (let at = place - 1; at >= 0 && compared < LEAST_FIXED && since.length <= most; at -= 1) {
    const other = payments[at];
    if (!other || !isSuch(other)) continue;
    if (before === null && other.paid_micro === price) {
      since.unshift(other);
      continue;
    }
    before ??= other.paid_micro;
    if (other.paid_micro !== before || before > most_before) return null;
    compared += 1;
  }
  if (before === null || compared < LEAST_FIXED || since.length < LEAST_SINCE) return null;
  const [rise, count] = [price - before, BigInt(since.length)];
  const isFirst = since.length === LEAST_SINCE || rise * (count - 1n) < least;
  return rise < least && rise * count >= least && isFirst ? { before, since } : null;
}
