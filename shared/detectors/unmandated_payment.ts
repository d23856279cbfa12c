import type { VerdictDetector } from '#shared/detectors/detector.ts';

/** A payment that no mandate allows, for organizations in which every agent needs one. */
export const unmandatedPayment: VerdictDetector = {
  name: 'unmandated_payment',
  off_by_default: true,
  judge(event, { verdict }) {
    if (verdict.evaluations?.length !== 0) return null;
    return {
      score: 60,
      title: 'A payment without a mandate',
      explanation: 'The agent paid {payee} while it had no active mandate.',
      subject: '',
      seqs: [event.chain_seq],
    };
  },
};
