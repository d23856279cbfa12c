import { z } from 'zod';
import { detector, type VerdictContext } from '#shared/detectors/detector.ts';
import type { Check } from '#shared/verification/verifier.ts';

/** The evidence of a payment does not hold: a signature, a replay, or what was signed is not what was paid. */
export const verificationFailed = detector({
  name: 'verification_failed',
  about: 'The evidence of a payment does not hold.',
  params: z.strictObject({}),
  judge(event, { verdict }: VerdictContext) {
    const failed = verdict.verification?.runs.filter(run => run.result === 'failed') ?? [];
    const [first] = failed;
    if (!first) return null;
    const checks = failed.flatMap(run => run.checks.filter(check => check.result === 'fail'));
    return {
      score: checks.some(isForgery) ? 90 : 75,
      title: `The evidence of a payment to {payee} does not hold (${first.kind})`,
      explanation: failed
        .map(
          run =>
            `${run.kind}: ${run.checks
              .filter(check => check.result === 'fail')
              .map(describe)
              .join('; ')}`,
        )
        .join('. '),
      subject: event.payment_id,
      seqs: [event.chain_seq],
    };
  },
});

/** A signature that is not its signer's, or what was used before; all else is a mismatch of what was signed and what was reported. */
const isForgery = ({ name, code = '' }: Check) =>
  name === 'single_use' || /signature|signer|algorithm|credential|tampered/.test(`${name} ${code}`);

const describe = ({ name, code, detail }: Check) =>
  `the check ${name} failed${code ? ` (${code})` : ''}${detail ? `: ${detail.replace(/\.$/, '')}` : ''}`;
