import type { DetectionEvent, Payment } from '#shared/events/log/payment.ts';
import { formatUsdMicro } from '#shared/values/money.ts';
import { formatDuration, SECOND } from '#shared/values/time.ts';
import type { Finding, PaidElsewhere } from './detector.ts';

/** The finding that two agents paid one invoice, at most `same_invoice_window_s` seconds apart; null where it was longer. */
export function paidElsewhere(
  { chain_seq, payee_id, occurred_at }: Pick<DetectionEvent, 'chain_seq' | 'payee_id' | 'occurred_at'>,
  { payment_id, paid_micro }: Payment,
  other: PaidElsewhere,
  { same_invoice_window_s }: { same_invoice_window_s: number },
): Finding | null {
  const gap = Math.abs(occurred_at - other.occurred_at);
  if (gap > same_invoice_window_s * SECOND) return null;
  const price = formatUsdMicro(paid_micro);
  return {
    score: 70,
    title: `Paid {payee} ${price} for an invoice that another agent has paid`,
    explanation:
      `Two payments of ${price} to {payee}, ${formatDuration(Math.max(SECOND, gap))} apart, name the same invoice: ${payment_id}, and ${other.payment_id} of agent ` +
      `“${other.agent_name}”. Two agents that pay one invoice are alerted on when that is at most ${formatDuration(same_invoice_window_s * SECOND)} apart.`,
    price,
    subject: payee_id,
    seqs: [chain_seq, other.chain_seq],
  };
}
