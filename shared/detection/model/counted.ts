import { type Payment, spendOf } from '#shared/events/log/payment.ts';
import type { Finding } from './detector.ts';

/**
 * Payments that a finding counts, for its words and for its evidence alike: how many they are, how many of them were settled, and what they
 * cost. What is said of them is taken from here, so that it cannot differ from what is linked.
 */
export function countPayments(payments: readonly Payment[]) {
  return {
    counted: {
      payments: payments.length,
      settled: payments.filter(({ settled }) => settled).length,
      spend_micro: payments.reduce((sum, payment) => sum + spendOf(payment), 0n),
    },
    seqs: payments.map(({ newest_seq }) => newest_seq),
  } satisfies Pick<Finding, 'counted' | 'seqs'>;
}

/** What the words of an alert weigh: the score of their finding, and how many payments they are about. */
export type Weight = { score: number; payments: number };

export const weightOf = ({ score, seqs }: Finding): Weight => ({ score, payments: seqs.length });

/**
 * Whether a finding's words take the place of others: it is graver, or as grave and about more payments. Of findings that gather, as grave
 * is enough: what their subject has come to is told by the latest.
 */
export const isWorse = (finding: Finding, { score, payments }: Weight): boolean =>
  finding.score > score || (finding.score === score && (finding.gathers === true || finding.seqs.length > payments));
