import { isPaid, type Payment } from '#shared/events/log/payment.ts';
import { formatUsdMicro } from '#shared/values/money.ts';
import { DAY, formatDuration, HOUR, SECOND } from '#shared/values/time.ts';
import { countPayments } from './counted.ts';
import type { Finding } from './detector.ts';
import { isPriceTag } from './price_tags.ts';
import { gapOf, isAlike } from './repeats.ts';
import { countAtHandText } from './wording.ts';

/** From so much on an odd sum matters; the record that it is held against has so many payments of as much, over so long a time. */
const [LEAST_MICRO, LEAST_OTHERS, LEAST_SPAN] = [50_000_000n, 8, 6 * DAY];
/** Sums of whole dollars, and those of price tags, are paid again and again; for other currencies see `isPriceTag`. */
const PRICE_TAGS = new Set([0n, 500_000n, 950_000n, 990_000n]);

export const isOddSum = ({ paid_micro }: Payment) => !PRICE_TAGS.has(paid_micro % 1_000_000n);

type Windows = { window_s: number; same_sum_window_s: number };

/**
 * The finding that an odd sum was paid again hours or days later, as when an invoice, or a whole pay run, is sent twice; null unless the agent paid
 * it to nobody else and at no other time, its payments to the payee are no nearly equal sums, and no other two of its larger payments were equal
 * within three times as long. `isOther`: whether a payment is known to be for something else.
 */
export function paidAgain(
  payment: Payment,
  paid: readonly Payment[],
  isOther: (other: Payment) => boolean,
  { window_s, same_sum_window_s }: Windows,
): Finding | null {
  if (payment.paid_micro < LEAST_MICRO || !isOddSum(payment)) return null;
  const equal = paid.filter(other => other.price_key === payment.price_key && other !== payment);
  const [first, ...more] = equal;
  if (!first || equal.length >= MOST_COPIES) return null;
  if (!equal.every(other => isAlike(other, payment) && other.settled && other.refunded_micro === 0n && !isOther(other)))
    return null;
  const twin = more.reduce((near, other) => (gapOf(other, payment) < gapOf(near, payment) ? other : near), first);
  const copies = [...equal, payment].toSorted((a, b) => (a.paid_at ?? 0) - (b.paid_at ?? 0));
  const [gap, span] = [gapOf(payment, twin), spanOf(copies)];
  const window = same_sum_window_s * SECOND;
  if (gap <= window_s * SECOND || gap > window || isDaily(gap) || span > MOST_WINDOWS * window) return null;
  const others = paid.filter(other => isPaid(other) && other.paid_micro >= LEAST_MICRO && !copies.includes(other));
  if (
    others.length < LEAST_OTHERS ||
    spanOf([...others, ...copies]) < LEAST_SPAN ||
    areOthersEqual(others, payment, gap)
  )
    return null;
  if (others.filter(other => isNearly(other, payment)).length >= LEAST_NEAR || isPriceTag(payment)) return null;
  const price = formatUsdMicro(payment.paid_micro);
  const isTwice = copies.length === 2;
  return {
    score: 60,
    title: `Paid {payee} ${price} ${isTwice ? 'twice' : `${countAtHandText(copies.length)} times`}`,
    explanation:
      (isTwice
        ? `Two payments of ${price} to {payee} (${twin.payment_id} and ${payment.payment_id}), ${formatDuration(gap)} apart`
        : `${countAtHandText(copies.length)} payments of ${price} to {payee} within ${formatDuration(span)}`) +
      `, a sum that no other of the agent's ` +
      `latest ${paid.length} payments has, of which no two others of ${formatUsdMicro(LEAST_MICRO)} or more were equal so soon. Such a sum is alerted on when it is paid again within ${formatDuration(window)}, ` +
      'unless at about the same hour of a later day.',
    price,
    subject: payment.payee_id,
    ...countPayments(copies),
  };
}

/** Who pays a sum oftener, or over more than three windows, has a use for it. */
const [MOST_COPIES, MOST_WINDOWS] = [6, 3];

/** So many sums to one payee that differ by 3% at most, such as an account that is charged whenever it has come to $50, are equal now and then. */
const LEAST_NEAR = 3;
const isNearly = (other: Payment, { payee_id, paid_micro }: Payment) =>
  other.payee_id === payee_id &&
  other.paid_micro * 100n <= paid_micro * 103n &&
  other.paid_micro * 103n >= paid_micro * 100n;

/** What is bought once a day, such as a night at a hotel, comes about so many days later. */
export const isDaily = (gap: number) => gap > DAY / 2 && Math.abs(gap - Math.round(gap / DAY) * DAY) <= 3 * HOUR;

function spanOf(paid: readonly Payment[]): number {
  const times = paid.map(({ paid_at }) => paid_at ?? 0);
  return (
    times.reduce((most, at) => Math.max(most, at), -Infinity) -
    times.reduce((least, at) => Math.min(least, at), Infinity)
  );
}

/**
 * Whether two others to one payee were equal within three times as long. Those of the last hour are part of what this is about, such as a pay run
 * that is sent again.
 */
function areOthersEqual(others: readonly Payment[], payment: Payment, gap: number): boolean {
  const most = 3 * gap;
  const latest = new Map<string, Payment>();
  return others.some(other => {
    const key = `${other.payee_id} ${other.price_key}`;
    const before = latest.get(key);
    latest.set(key, other);
    return before !== undefined && gapOf(before, other) <= most && gapOf(other, payment) > HOUR;
  });
}
