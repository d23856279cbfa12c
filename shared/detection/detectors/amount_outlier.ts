import { z } from 'zod';
import { counts, isPaid, type Payment } from '#shared/events/log/payment.ts';
import { detector } from '#shared/detection/model/detector.ts';
import { AT_HAND, count, factor, microUsd, usd } from '#shared/detection/model/params.ts';
import { median, oneDecimal, score } from '#shared/detection/model/score.ts';
import { timesText } from '#shared/detection/model/wording.ts';
import { formatUsdMicro } from '#shared/values/money.ts';

/** With amounts that hardly ever differ every cent would be an outlier; on the scale of ln, 0.05 is 5 %. */
const LEAST_DEVIATION = 0.05;

/**
 * A payment far above what the agent usually pays: the modified z-score of Iglewicz and Hoaglin (1993) on the logarithm of the
 * amount, against the latest settled payments to the same payee, or of the agent where those are too few.
 */
export const amountOutlier = detector({
  name: 'amount_outlier',
  about: 'A payment far above the agent’s usual amounts.',
  by_price: true,
  params: z.strictObject({
    threshold: factor(
      3.5,
      'Spread multiple',
      'How many times the usual spread a payment must lie above the median',
      0.1,
    ),
    last: count(200, 'Payments compared', 'How many of the latest settled payments a payment is compared with', {
      most: AT_HAND,
    }),
    least_payments: count(
      20,
      'Minimum payments',
      'Once parameters are set: settled payments needed before anything is compared',
      {
        most: AT_HAND,
      },
    ),
    least_usd: usd('1', 'Minimum amount', 'Smaller payments are never outliers'),
  }),
  behavioral: { asks: ({ least_usd }) => ({ amount_usd: Number(least_usd) }) },
  judge(event, { history, payment, former }, { threshold, last, least_payments, least_usd }) {
    const amount = payment.paid_micro;
    if (!counts(event.type) || !isPaid(payment) || amount < microUsd(least_usd)) return null;
    if (former && former.paid_micro === amount && isPaid(former)) return null;
    const settled = history.payments.filter(
      other => other.settled && other.paid_micro > 0n && other.payment_id !== payment.payment_id,
    );
    const sameParty = settled.filter(other => other.payee_id === payment.payee_id);
    // Up to half more than this payee was paid before is no outlier, whatever others get: wages, an expensive subscription.
    if (sameParty.some(other => amount * 2n <= other.paid_micro * 3n)) return null;
    const same = sameParty.length >= least_payments;
    const others = (same ? sameParty : settled).slice(-last);
    if ((same ? sameParty : settled).length < least_payments || !isAboveHalf(amount, others)) return null;
    const logs = Float64Array.from(others, other => Math.log(Number(other.paid_micro)));
    const middle = median(logs);
    const deviation = Math.max(deviationOf(logs, middle), LEAST_DEVIATION / 0.6745);
    const z = (Math.log(Number(amount)) - middle) / deviation;
    if (z < threshold) return null;
    const at = (deviations: number) => BigInt(Math.round(Math.exp(middle + deviations * deviation)));
    const usual = formatUsdMicro(at(0));
    return {
      score: score(z, threshold),
      title: `${formatUsdMicro(amount)} to {payee}, usually about ${usual}`,
      explanation:
        `The payment of ${formatUsdMicro(amount)} is ${oneDecimal(Number(amount) / Number(at(0)))} times the median of ${usual} ` +
        `over the last ${others.length} settled payments ${same ? 'of this agent to {payee}' : 'of this agent'}. ` +
        `Most of those lie between ${formatUsdMicro(at(-1))} and ${formatUsdMicro(at(1))}, so an alert is raised from ` +
        `${formatUsdMicro(at(threshold))}, which is ${threshold} times that spread above the median. ` +
        `This payment is ${timesText(z)} times the spread above it, measured in proportion and not in dollars.`,
      subject: event.payee_id,
      seqs: [event.chain_seq],
    };
  },
});

/** A quick test before sorting: an amount that half of the others reach is no outlier. */
function isAboveHalf(amount: bigint, others: readonly Payment[]): boolean {
  let below = 0;
  for (const other of others) if (other.paid_micro < amount) below += 1;
  return below * 2 > others.length;
}

/**
 * The standard deviation as estimated from the median absolute deviation, or from the mean one if more than half are equal; 0 if all values
 * are equal.
 */
function deviationOf(values: Float64Array, middle: number): number {
  const deviations = values.map(value => Math.abs(value - middle));
  const mad = median(deviations);
  if (mad > 0) return mad / 0.6745;
  return (1.2533 * deviations.reduce((sum, value) => sum + value, 0)) / deviations.length;
}
