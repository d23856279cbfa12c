import { z } from 'zod';
import type { Payment } from '#shared/events/log/payment.ts';
import { countPayments } from '#shared/detection/model/counted.ts';
import { detector } from '#shared/detection/model/detector.ts';
import { AT_HAND, count, seconds, share } from '#shared/detection/model/params.ts';
import { score } from '#shared/detection/model/score.ts';
import { densestWindow } from '#shared/detection/model/windows.ts';
import { percentText, spanText } from '#shared/detection/model/wording.ts';
import { formatDuration, SECOND } from '#shared/values/time.ts';

/** Many payments of an agent fail within a short time. */
export const failedPaymentBurst = detector({
  name: 'failed_payment_burst',
  about: 'Many payments of an agent fail within a short time.',
  params: z.strictObject({
    least: count(5, 'Minimum failed payments', 'Failed payments within the window from which an alert is raised', {
      most: AT_HAND,
    }),
    least_share: share(0.5, 'Minimum failure share', 'Share of all payments in the window that must have failed'),
    window_s: seconds(600, 'Window', 'Length of the window'),
  }),
  judge(event, { history, payment }, { least, least_share, window_s }) {
    if (event.type !== 'payment.failed' || !hasFailed(payment)) return null;
    const length = window_s * SECOND;
    const failed = densestWindow(history.payments.filter(hasFailed), payment.started_at, length);
    const [first, last] = [failed[0], failed.at(-1)];
    if (!first || !last || failed.length < least) return null;
    const all = history.payments.filter(
      ({ started_at }) => started_at > last.started_at - length && started_at <= last.started_at,
    );
    if (failed.length < all.length * least_share) return null;
    const { counted, seqs } = countPayments(all);
    return {
      score: score(failed.length, least),
      title: `${failed.length} of ${counted.payments} payments failed within ${formatDuration(length)}`,
      explanation:
        `${failed.length} of ${counted.payments} payments of this agent failed within ${formatDuration(length)}, ` +
        `${spanText(failed.map(({ started_at }) => started_at))}; ` +
        `an alert is raised from ${least} failed payments if they are at least ${percentText(least_share)} of all.`,
      subject: '',
      counted,
      seqs,
    };
  },
});

const hasFailed = (payment: Payment) => payment.latest_type === 'payment.failed';
