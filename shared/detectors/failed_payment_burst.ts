import { z } from 'zod';
import type { Payment } from '#shared/detection/payment.ts';
import { detector } from '#shared/detectors/detector.ts';
import { score } from '#shared/detectors/score.ts';
import { densestWindow } from '#shared/detectors/windows.ts';
import { formatDuration, MINUTE } from '#shared/time.ts';

const LEAST = 5;
const SHARE = 0.5;
const WITHIN = 10 * MINUTE;

/** Payments of an agent that fail one after the other. */
export const failedPaymentBurst = detector({
  name: 'failed_payment_burst',
  about: 'Payments of an agent that fail one after the other.',
  params: z.strictObject({}),
  judge(event, { history, payment }) {
    if (event.type !== 'payment.failed' || !hasFailed(payment)) return null;
    const failed = densestWindow(history.payments.filter(hasFailed), payment.started_at, WITHIN);
    const [first, last] = [failed[0], failed.at(-1)];
    if (!first || !last || failed.length < LEAST) return null;
    const all = history.payments.filter(
      ({ started_at }) => started_at > last.started_at - WITHIN && started_at <= last.started_at,
    ).length;
    if (failed.length < all * SHARE) return null;
    return {
      score: score(failed.length, LEAST),
      title: `${failed.length} of ${all} payments failed within ${formatDuration(WITHIN)}`,
      explanation:
        `${failed.length} of ${all} payments of this agent failed within ${formatDuration(WITHIN)}; ` +
        `an alert is raised from ${LEAST} failed payments if they are at least ${SHARE * 100} % of all.`,
      subject: '',
      seqs: failed.map(payment => payment.latest_seq),
    };
  },
});

const hasFailed = (payment: Payment) => payment.latest_type === 'payment.failed';
