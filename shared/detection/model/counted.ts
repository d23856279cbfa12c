import { type Payment, spendOf } from '#shared/events/log/payment.ts';
import type { Finding } from './detector.ts';
import { MOST_PAYMENTS } from './history.ts';

/**
 * The payments that a finding counts, for its text and its evidence alike: how many, how many of them settled, and their cost. Both use
 * these numbers, so that the text cannot differ from the links.
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

/** The weight of an alert's text: the score of its finding, and the number of its payments. */
export type Weight = { score: number; payments: number };

export const weightOf = ({ score, seqs }: Finding): Weight => ({ score, payments: seqs.length });

/**
 * Whether a finding's text replaces another: it is more severe, or equally severe with more payments. For findings that gather, and of conduct
 * where no more payments are kept at hand, equally severe is enough: the latest describes their subject.
 */
export const isWorse = (finding: Finding, { score, payments }: Weight): boolean => {
  const isOfMost = finding.conduct_at !== undefined && finding.seqs.length >= MOST_PAYMENTS;
  const isLatest = finding.gathers === true || isOfMost;
  return finding.score > score || (finding.score === score && (isLatest || finding.seqs.length > payments));
};
