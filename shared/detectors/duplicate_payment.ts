import { z } from 'zod';
import { isPaid, type Payment } from '#shared/detection/payment.ts';
import { detector } from '#shared/detectors/detector.ts';
import { median } from '#shared/detectors/score.ts';
import { formatUsdMicro } from '#shared/money.ts';
import { DAY, formatDuration, MINUTE, SECOND } from '#shared/time.ts';

const SOON = 10 * MINUTE;
const WITHIN = DAY;
/** Below this, equal prices are how metered calls are paid for; the calls are told apart by what they are for. */
const SMALL = 1_000_000n;
/** So many earlier payments of the same price to the same payee make a habit, whose pace is then what is normal. */
const HABIT = 3;

/**
 * The same agent pays the same payee the same amount again: soon after, or within a day for the same tool call or resource.
 * A payment that failed was no payment, and a habit of equal payments at this pace is no duplicate.
 */
export const duplicatePayment = detector({
  name: 'duplicate_payment',
  about: 'The same agent pays the same payee the same amount again, soon after or for the same call.',
  params: z.strictObject({}),
  judge(event, { history, payment, former }) {
    // Judged once a payment: when it first counts.
    if (!isPaid(payment) || (former && isPaid(former))) return null;
    const equal = history.payments.filter(
      other =>
        other.payee_id === payment.payee_id &&
        other.price_key === payment.price_key &&
        other !== payment &&
        isPaid(other),
    );
    const isHabit = habitOf(payment, equal);
    const twin = equal
      .filter(other => isTwin(payment, other, isHabit))
      .toSorted((a, b) => gapOf(payment, a) - gapOf(payment, b))[0];
    if (!twin) return null;
    const gap = gapOf(payment, twin);
    const timeout = looksLikeTimeout(gap);
    const amount = payment.paid_micro > 0n ? ` ${formatUsdMicro(payment.paid_micro)}` : ' the same amount';
    return {
      score: timeout ? 85 : 70,
      title: `Paid {payee}${amount} twice`,
      explanation:
        `Two payments of${amount} to {payee}, ${formatDuration(gap)} apart${reasonOf(payment, twin)}; ` +
        `an alert is raised within ${formatDuration(SOON)}, or within ${formatDuration(WITHIN)} for the same tool call or resource.` +
        (timeout
          ? ' The gap is that of a common time-out: the first payment probably went through although the client gave up waiting.'
          : ''),
      subject: event.payee_id,
      seqs: [twin.latest_seq, event.chain_seq],
    };
  },
});

const gapOf = (a: Payment, b: Payment) => Math.abs((a.paid_at ?? 0) - (b.paid_at ?? 0));
const same = (a: string | null, b: string | null) => a !== null && a === b;
const differ = (a: string | null, b: string | null) => a !== null && b !== null && a !== b;

function isTwin(payment: Payment, other: Payment, isHabit: (gap: number, small: boolean) => boolean): boolean {
  const gap = gapOf(payment, other);
  if (gap > WITHIN) return false;
  if (same(payment.tool_call_key, other.tool_call_key)) return true;
  const small = payment.paid_micro < SMALL && payment.paid_micro > 0n;
  const otherIntent =
    differ(payment.tool_call_key, other.tool_call_key) || differ(payment.resource_key, other.resource_key);
  if (small && otherIntent) return false;
  if (gap > SOON && (small || !same(payment.resource_key, other.resource_key))) return false;
  return !isHabit(gap, small);
}

/** Tells whether equal payments at a pace, or at any pace if they are small, are what this agent does. */
function habitOf(payment: Payment, equal: readonly Payment[]): (gap: number, small: boolean) => boolean {
  const times = equal
    .flatMap(({ paid_at }) => (paid_at !== null && paid_at < (payment.paid_at ?? 0) ? [paid_at] : []))
    .toSorted((a, b) => a - b);
  if (times.length <= HABIT) return () => false;
  const pace = median(times.slice(1).map((time, index) => time - (times[index] ?? 0)));
  return (gap, small) => small || gap * 3 >= pace;
}

const looksLikeTimeout = (gap: number) =>
  (gap >= 28 * SECOND && gap <= 40 * SECOND) || (gap >= 58 * SECOND && gap <= 70 * SECOND);

function reasonOf(a: Payment, b: Payment): string {
  if (same(a.tool_call_key, b.tool_call_key)) return ', for one tool call';
  return same(a.resource_key, b.resource_key) ? ', for the same resource' : '';
}
