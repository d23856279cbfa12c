import { z } from 'zod';
import { counts, isPaid } from '#shared/events/log/payment.ts';
import { detector } from '#shared/detection/model/detector.ts';
import { microUsd, share, usd } from '#shared/detection/model/params.ts';
import { bigMax, percentile, ratio, score } from '#shared/detection/model/score.ts';
import { amountsText, percentText } from '#shared/detection/model/wording.ts';
import { formatUsdMicro } from '#shared/values/money.ts';

/** A first payment to a payee that is larger than almost all of the agent’s payments. */
export const newPayeeHighAmount = detector({
  name: 'new_payee_high_amount',
  about:
    'A first payment to a payee that is larger than almost all of the agent’s payments, or a new payee that is paid day after day.',
  by_price: true,
  params: z.strictObject({
    floor_usd: usd('100', 'Minimum amount', 'Amount a first payment must exceed'),
    share_below: share(0.9, 'Percentile', 'Share of the agent’s other payments that must be smaller, such as 0.9'),
  }),
  behavioral: { asks: ({ floor_usd }) => ({ new_payee_usd: Number(floor_usd) }) },
  judge(event, { history, payment, is_new_payee }, { floor_usd, share_below }) {
    const amount = payment.paid_micro;
    if (!is_new_payee || !counts(event.type) || !isPaid(payment) || amount <= microUsd(floor_usd)) return null;
    const paid = history.payments.filter(
      other => other.payment_id !== payment.payment_id && isPaid(other) && other.paid_micro > 0n,
    );
    const usual =
      percentile(
        paid.map(other => other.paid_micro),
        share_below,
      ) ?? 0n;
    const threshold = bigMax(microUsd(floor_usd), usual);
    if (amount <= threshold) return null;
    const [amountText, thresholdText] = amountsText(amount, threshold);
    return {
      score: score(ratio(amount, bigMax(threshold, 1n)), 1),
      title: `${amountText} to {payee}, never paid before`,
      explanation:
        `The first payment of this agent to {payee} is ${amountText}; an alert is raised above ${thresholdText}. ` +
        (paid.length === 0
          ? 'The agent has made no payment before.'
          : `Of its last ${paid.length} payments ${percentText(share_below)} were no more than ${formatUsdMicro(usual)}.`),
      subject: event.payee_id,
      seqs: [event.chain_seq],
    };
  },
});
