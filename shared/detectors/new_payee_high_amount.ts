import { z } from 'zod';
import { counts, isPaid } from '#shared/detection/payment.ts';
import { detector } from '#shared/detectors/detector.ts';
import { bigMax, percentile, ratio, score } from '#shared/detectors/score.ts';
import { formatUsdMicro } from '#shared/money.ts';

const FLOOR = 100_000_000n;

/** A first payment to a payee that is larger than nearly everything the agent has paid. */
export const newPayeeHighAmount = detector({
  name: 'new_payee_high_amount',
  about: 'A first payment to a payee that is larger than nearly everything the agent has paid.',
  params: z.strictObject({}),
  judge(event, { history, payment, is_new_payee }) {
    const amount = payment.paid_micro;
    if (!is_new_payee || !counts(event.type) || !isPaid(payment) || amount <= FLOOR) return null;
    const paid = history.payments.filter(
      other => other.payment_id !== payment.payment_id && isPaid(other) && other.paid_micro > 0n,
    );
    const usual =
      percentile(
        paid.map(other => other.paid_micro),
        0.9,
      ) ?? 0n;
    const threshold = bigMax(FLOOR, usual);
    if (amount <= threshold) return null;
    return {
      score: score(ratio(amount, threshold), 1),
      title: `${formatUsdMicro(amount)} to {payee}, never paid before`,
      explanation:
        `The first payment of this agent to {payee} is ${formatUsdMicro(amount)}; an alert is raised above ${formatUsdMicro(threshold)}. ` +
        (paid.length === 0
          ? 'The agent has made no payment before.'
          : `Nine in ten of its last ${paid.length} payments were no more than ${formatUsdMicro(usual)}.`),
      subject: '',
      seqs: [event.chain_seq],
    };
  },
});
