import { z } from 'zod';
import { isPaid, type Payment } from '#shared/events/log/payment.ts';
import { countPayments } from '#shared/detection/model/counted.ts';
import { detector } from '#shared/detection/model/detector.ts';
import { microUsd, seconds, usd } from '#shared/detection/model/params.ts';
import { median } from '#shared/detection/model/score.ts';
import { formatUsdMicro } from '#shared/values/money.ts';
import { formatDuration, SECOND } from '#shared/values/time.ts';

/** So many earlier payments of the same price to the same payee make a habit, whose pace is then what is normal. */
const HABIT = 3;

/**
 * The same agent pays the same payee the same amount again: soon after, or within a day for the same tool call or resource.
 * A payment that failed was no payment, and a habit of equal payments at this pace is no duplicate.
 */
export const duplicatePayment = detector({
  name: 'duplicate_payment',
  about: 'An agent pays the same payee the same amount twice within a short time, or for the same call.',
  params: z.strictObject({
    window_s: seconds(600, 'Window', 'How soon after the first an equal payment counts as a duplicate'),
    same_call_window_s: seconds(
      86_400,
      'Window for the same call',
      'The same for payments for one tool call or resource',
    ),
    metered_below_usd: usd(
      '1',
      'Metered below',
      'Below this amount, payments for different calls or resources are metered usage, not duplicates',
    ),
  }),
  judge(event, { history, payment, former }, params) {
    // Judged once a payment: when it first counts.
    if (!isPaid(payment) || (former && isPaid(former))) return null;
    const isHabit = habitOf(payment, history.payments);
    let twin: Payment | null = null;
    for (const other of history.payments) {
      if (!isAlike(other, payment) || !isTwin(payment, other, isHabit, params)) continue;
      if (!twin || gapOf(payment, other) < gapOf(payment, twin)) twin = other;
    }
    if (!twin) return null;
    const gap = gapOf(payment, twin);
    const timeout = looksLikeTimeout(gap);
    const amount = payment.paid_micro > 0n ? ` ${formatUsdMicro(payment.paid_micro)}` : ' the same amount';
    return {
      score: timeout ? 85 : 70,
      title: `Paid {payee}${amount} twice`,
      explanation:
        `Two payments of${amount} to {payee} (${twin.payment_id} and ${payment.payment_id}), ${gap < SECOND ? 'less than 1 s' : formatDuration(gap)} apart` +
        `${reasonOf(payment, twin)}; an alert is raised within ${formatDuration(params.window_s * SECOND)}, ` +
        `or within ${formatDuration(params.same_call_window_s * SECOND)} for the same tool call or resource.` +
        (timeout
          ? ' The gap is that of a common time-out: the first payment probably went through although the client gave up waiting.'
          : ''),
      subject: event.payee_id,
      ...countPayments([twin, payment]),
    };
  },
});

const isAlike = (other: Payment, payment: Payment) =>
  other.payee_id === payment.payee_id && other.price_key === payment.price_key && other !== payment && isPaid(other);

const gapOf = (a: Payment, b: Payment) => Math.abs((a.paid_at ?? 0) - (b.paid_at ?? 0));
const same = (a: string | null, b: string | null) => a !== null && a === b;
const differ = (a: string | null, b: string | null) => a !== null && b !== null && a !== b;

type Limits = { window_s: number; same_call_window_s: number; metered_below_usd: string };

function isTwin(
  payment: Payment,
  other: Payment,
  isHabit: (gap: number, small: boolean) => boolean,
  { window_s, same_call_window_s, metered_below_usd }: Limits,
): boolean {
  const gap = gapOf(payment, other);
  if (gap > Math.max(window_s, same_call_window_s) * SECOND) return false;
  const isLong = gap > window_s * SECOND;
  if (same(payment.tool_call_key, other.tool_call_key)) return true;
  const small = payment.paid_micro < microUsd(metered_below_usd) && payment.paid_micro > 0n;
  const otherIntent =
    differ(payment.tool_call_key, other.tool_call_key) || differ(payment.resource_key, other.resource_key);
  if (small && otherIntent) return false;
  if (isLong && (small || !same(payment.resource_key, other.resource_key))) return false;
  return !isHabit(gap, small);
}

/**
 * Tells whether equal payments at a pace, or at any pace if they are small, are what this agent does. Few payments have an equal one near
 * enough to ask, so the pace is worked out when it is asked for.
 */
function habitOf(payment: Payment, payments: readonly Payment[]): (gap: number, small: boolean) => boolean {
  let pace: number | null = null;
  return (gap, small) => {
    pace ??= paceOf(payment, payments);
    return pace < Infinity && (small || gap * 3 >= pace);
  };
}

/** The usual time between equal payments before this one; too few of them have no pace: Infinity. */
function paceOf(payment: Payment, payments: readonly Payment[]): number {
  const times = payments
    .filter(other => isAlike(other, payment))
    .flatMap(({ paid_at }) => (paid_at !== null && paid_at < (payment.paid_at ?? 0) ? [paid_at] : []))
    .toSorted((a, b) => a - b);
  if (times.length <= HABIT) return Infinity;
  return median(times.slice(1).map((time, index) => time - (times[index] ?? 0)));
}

const looksLikeTimeout = (gap: number) =>
  (gap >= 28 * SECOND && gap <= 40 * SECOND) || (gap >= 58 * SECOND && gap <= 70 * SECOND);

function reasonOf(a: Payment, b: Payment): string {
  if (same(a.tool_call_key, b.tool_call_key)) return ', for one tool call';
  return same(a.resource_key, b.resource_key) ? ', for the same resource' : '';
}
