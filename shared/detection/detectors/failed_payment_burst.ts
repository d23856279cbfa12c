import { z } from 'zod';
import type { Payment } from '#shared/events/log/payment.ts';
import { countPayments } from '#shared/detection/model/counted.ts';
import { detector } from '#shared/detection/model/detector.ts';
import { AT_HAND, count, seconds, share } from '#shared/detection/model/params.ts';
import { score } from '#shared/detection/model/score.ts';
import { densestWindow } from '#shared/detection/model/windows.ts';
import { percentText, spanText } from '#shared/detection/model/wording.ts';
import { formatDuration, HOUR, SECOND } from '#shared/values/time.ts';

/**
 * Many payments of an agent fail within a short time; or, over hours, payments of different sums, as when cards or limits are tried out, where
 * hardly any failed before.
 */
export const failedPaymentBurst = detector({
  name: 'failed_payment_burst',
  about: 'Many payments of an agent fail within a short time, or of different sums within two hours.',
  params: z.strictObject({
    least: count(5, 'Minimum failed payments', 'Failed payments within the window from which an alert is raised', {
      most: AT_HAND,
    }),
    least_share: share(0.5, 'Minimum failure share', 'Share of all payments in the window that must have failed'),
    window_s: seconds(600, 'Window', 'Length of the window'),
  }),
  judge(event, { history: { payments, paid }, payment }, { least, least_share, window_s }) {
    if (event.type !== 'payment.failed' || !hasFailed(payment)) return null;
    const tried = payments.filter(hasFailed);
    const quick = burstAround(payment, payments, tried, window_s * SECOND);
    const isMany = ({ failed, all }: Burst, share = least_share) =>
      failed.length >= least && failed.length >= all.length * share;
    const probes = !isMany(quick) && isMany(quick, least_share / 2) && areProbes(quick, paid, least);
    const isQuick = probes || isMany(quick);
    const slow = isQuick || window_s * SECOND >= SLOW ? null : burstAround(payment, payments, tried, SLOW);
    if (!slow && !isQuick) return null;
    if (slow && !(isMany(slow) && isTrial(slow, payments, tried))) return null;
    const { failed, all } = slow ?? quick;
    const length = formatDuration(slow ? SLOW : window_s * SECOND);
    const { counted, seqs } = countPayments(all);
    return {
      score: score(failed.length, least),
      title: `${failed.length} of ${counted.payments} payments failed within ${length}`,
      explanation:
        `${failed.length} of ${counted.payments} payments of this agent failed within ${length}, ` +
        `${spanText(failed.map(({ started_at }) => started_at))}; ` +
        (slow
          ? `they were for ${sumsOf(failed)} different sums, as when cards or limits are tried out, a balance is used up or a provider is down, and at most a third as many failed in any other ${length}; an alert is raised from ${Math.max(SLOW_LEAST, least)} such failures of ${LEAST_SUMS} sums.`
          : probes
            ? `they went to ${payeesOf(failed)} payees, ${least} of them or more not paid before, as when a stolen card is tried; an alert is raised from failures at ${least} such payees if they are at least ${percentText(least_share / 2)} of all.`
            : `an alert is raised from ${least} failed payments if they are at least ${percentText(least_share)} of all.`),
      subject: '',
      counted,
      seqs,
    };
  },
});

/** Payments that failed, and all within the same time. */
type Burst = { failed: readonly Payment[]; all: readonly Payment[] };

/** The most failures within `length` milliseconds around a payment, with all payments of that time. */
function burstAround(payment: Payment, payments: readonly Payment[], tried: readonly Payment[], length: number): Burst {
  const failed = densestWindow(tried, payment.started_at, length);
  const last = failed.at(-1)?.started_at ?? payment.started_at;
  return { failed, all: payments.filter(({ started_at }) => started_at > last - length && started_at <= last) };
}

/**
 * Whether so many failed at payees that none of the agent's payments at hand went to before, where a stolen card is tried: some go through, and half
 * as large a share of failures says as much.
 */
function areProbes({ failed }: Burst, paid: readonly Payment[], least: number): boolean {
  const first = failed[0]?.started_at ?? 0;
  const known = new Set(paid.flatMap(({ payee_id, started_at }) => (started_at < first ? [payee_id] : [])));
  return payeesOf(failed.filter(({ payee_id }) => !known.has(payee_id))) >= least;
}

const payeesOf = (payments: readonly Payment[]) => new Set(payments.map(({ payee_id }) => payee_id)).size;

/** What is tried out over hours: so many failures, of so many sums, where the record has so many payments. */
const [SLOW, SLOW_LEAST, LEAST_SUMS, LEAST_RECORD] = [2 * HOUR, 6, 5, 20];

/** Whether so many failed, of different sums, as never before: at most a third as many within any other time as long. */
function isTrial({ failed }: Burst, payments: readonly Payment[], tried: readonly Payment[]): boolean {
  if (failed.length < SLOW_LEAST || sumsOf(failed) < LEAST_SUMS || payments.length < LEAST_RECORD) return false;
  const others = tried.filter(other => !failed.includes(other));
  let from = 0;
  return others.every(({ started_at }, index) => {
    while ((others[from]?.started_at ?? Infinity) <= started_at - SLOW) from += 1;
    return (index + 1 - from) * 3 <= failed.length;
  });
}

const sumsOf = (failed: readonly Payment[]) => new Set(failed.map(({ price_key }) => price_key)).size;

const hasFailed = (payment: Payment) => payment.latest_type === 'payment.failed';
