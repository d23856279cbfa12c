import { z } from 'zod';
import { counts, isPaid, type Payment } from '#shared/detection/payment.ts';
import { detector } from '#shared/detectors/detector.ts';
import { median, oneDecimal, score } from '#shared/detectors/score.ts';
import { formatUsdMicro } from '#shared/money.ts';

const LEAST_PAYMENTS = 20;
const MOST_PAYMENTS = 200;
const THRESHOLD = 3.5;
const LEAST_AMOUNT = 1_000_000n;
/** Amounts that hardly ever differ would make an outlier of every cent; on the scale of ln, 0.05 is 5 %. */
const LEAST_DEVIATION = 0.05;

/**
 * A payment far above what the agent usually pays: the modified z-score of Iglewicz and Hoaglin (1993) on the logarithm of the
 * amount, against the latest settled payments to the same payee, or of the agent where those are too few.
 */
export const amountOutlier = detector({
  name: 'amount_outlier',
  about: 'A payment far above what the agent usually pays.',
  params: z.strictObject({}),
  judge(event, { history, payment, former }) {
    const amount = payment.paid_micro;
    if (!counts(event.type) || !isPaid(payment) || amount < LEAST_AMOUNT) return null;
    if (former && former.paid_micro === amount && isPaid(former)) return null;
    const settled = history.payments.filter(
      other => other.settled && other.paid_micro > 0n && other.payment_id !== payment.payment_id,
    );
    const sameParty = settled.filter(other => other.payee_id === payment.payee_id);
    // Half as much again as this payee has got before is no outlier, whatever others get: wages, the one dear subscription.
    if (sameParty.some(other => amount * 2n <= other.paid_micro * 3n)) return null;
    const same = sameParty.length >= LEAST_PAYMENTS;
    const others = (same ? sameParty : settled).slice(-MOST_PAYMENTS);
    if (others.length < LEAST_PAYMENTS || !isAboveHalf(amount, others)) return null;
    const logs = Float64Array.from(others, other => Math.log(Number(other.paid_micro)));
    const middle = median(logs);
    const x = Math.log(Number(amount));
    const z = (x - middle) / deviationOf(logs, middle);
    if (z < THRESHOLD) return null;
    const usual = BigInt(Math.round(Math.exp(middle)));
    return {
      score: score(z, THRESHOLD),
      title: `${formatUsdMicro(amount)} to {payee}, usually about ${formatUsdMicro(usual)}`,
      explanation:
        `The payment of ${formatUsdMicro(amount)} is ${oneDecimal(Number(amount) / Number(usual))} times the median of ${formatUsdMicro(usual)} ` +
        `over the last ${others.length} settled payments ${same ? 'of this agent to {payee}' : 'of this agent'}. ` +
        `Its robust z-score is ${oneDecimal(z)}; an alert is raised from ${THRESHOLD}.`,
      subject: event.payee_id,
      seqs: [event.chain_seq],
    };
  },
});

/** Cheap test before the sorting: an amount that half of the others reach is no outlier. */
function isAboveHalf(amount: bigint, others: readonly Payment[]): boolean {
  let below = 0;
  for (const other of others) if (other.paid_micro < amount) below += 1;
  return below * 2 > others.length;
}

/** Standard deviation as the median absolute deviation estimates it, or the mean one where more than half are equal. */
function deviationOf(values: Float64Array, middle: number): number {
  const deviations = values.map(value => Math.abs(value - middle));
  const mad = median(deviations);
  if (mad > 0) return Math.max(mad, LEAST_DEVIATION) / 0.6745;
  const mean = deviations.reduce((sum, value) => sum + value, 0) / deviations.length;
  return Math.max(1.2533 * mean, LEAST_DEVIATION / 0.6745);
}
