import { z } from 'zod';
import type { Run } from '#shared/assessment/verdict.ts';
import type { DetectionEvent } from '#shared/events/log/payment.ts';
import { detector, type VerdictContext } from '#shared/detection/model/detector.ts';
import { formatUsdMicro } from '#shared/values/money.ts';
import type { Check, VerificationKind } from '#shared/verification/verifier.ts';

/**
 * The evidence of a payment fails verification: an invalid signature, a replay, or a difference between what was signed and what was paid.
 */
export const verificationFailed = detector({
  name: 'verification_failed',
  of_payment_alone: true,
  about: 'Evidence of a payment fails verification.',
  params: z.strictObject({}),
  judge(event, { verdict }: VerdictContext) {
    const failed = verdict.verification?.runs.filter(run => run.result === 'failed') ?? [];
    const [first] = failed;
    if (!first) return null;
    const checks = failed.flatMap(run => run.checks.filter(check => check.result === 'fail'));
    const isForged = checks.some(isForgery);
    return {
      score: isForged ? 90 : 75,
      title: `Evidence of a payment to {payee} failed verification (${names[first.kind]})`,
      explanation:
        `${amountOf(event)} to {payee} was reported with evidence that failed verification. ` +
        `${failed.map(describeRun).join('. ')}. An alert is raised whenever evidence fails a check. ` +
        (isForged
          ? 'It may be forged or reused: have the payment confirmed before paying anything more.'
          : 'The report differs from what was agreed to: find out which of the two is right.'),
      subject: event.payment_id,
      seqs: [event.chain_seq],
      gathers: true,
    };
  },
});

/** A forged signature, or a reused proof; anything else is a mismatch between what was signed and reported. */
const isForgery = ({ name, code = '' }: Check) =>
  name === 'single_use' || /signature|signer|algorithm|credential|tampered/.test(`${name} ${code}`);

const amountOf = ({ usd_micro }: DetectionEvent) =>
  usd_micro === null ? 'A payment' : `A payment of ${formatUsdMicro(usd_micro)}`;

const names: Record<VerificationKind, string> = {
  x402_authorization: 'x402 authorization',
  x402_settlement: 'x402 settlement',
  x402_receipt: 'x402 receipt',
  ap2_mandate: 'AP2 mandate',
  ap2_receipt: 'AP2 receipt',
  psp_webhook: 'notice of the payment service',
  agent_signature: 'signature of the agent',
  kyapay_token: 'KYAPay token',
  acp_allowance: 'spending allowance',
  source_signature: 'signature of the source',
  onchain_transfer: 'transfer on the chain',
};

const describeRun = (run: Run) =>
  `In the ${names[run.kind]} ${run.checks
    .filter(check => check.result === 'fail')
    .map(describe)
    .join('; ')}`;

const describe = ({ name, code, detail }: Check) =>
  `the check “${name.replaceAll('_', ' ')}” failed${code ? ` (${code})` : ''}${detail ? `: ${detail.replace(/\.$/, '')}` : ''}`;
