import { z } from 'zod';
import { detector, type VerdictContext } from '#shared/detectors/detector.ts';

/** One authorisation in two payments: a nonce, a signed mandate, a receipt or a token that another payment had used before. */
export const replayedAuthorization = detector({
  name: 'replayed_authorization',
  about: 'One authorisation is used in two payments.',
  params: z.strictObject({}),
  judge(event, { verdict }: VerdictContext) {
    const [first] = verdict.replays;
    if (!first) return null;
    return {
      score: 95,
      title: 'An authorisation was used in two payments',
      explanation:
        `What authorises this payment to {payee} (${verdict.replays.map(replay => replay.scope).join(', ')}) ` +
        `was used before, in payment ${first.payment_id}. An authorisation pays once.`,
      subject: event.payment_id,
      seqs: [event.chain_seq, ...verdict.replays.map(replay => replay.chain_seq)],
    };
  },
});
