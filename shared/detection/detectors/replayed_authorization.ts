import { z } from 'zod';
import { detector, type VerdictContext } from '#shared/detection/model/detector.ts';
import { formatUsdMicro } from '#shared/values/money.ts';

/** One authorization in two payments: a nonce, a signed mandate, a receipt, a transaction or a token that another payment had used before. */
export const replayedAuthorization = detector({
  name: 'replayed_authorization',
  of_payment_alone: true,
  about: 'One authorization, receipt or transaction is used for two payments.',
  params: z.strictObject({}),
  judge(event, { verdict }: VerdictContext) {
    const [first] = verdict.replays;
    if (!first) return null;
    const amount = event.usd_micro === null ? '' : ` of ${formatUsdMicro(event.usd_micro)}`;
    const used = new Set(verdict.replays.map(({ scope }) => names.get(scope) ?? scope));
    return {
      score: 95,
      title: `One ${first.scope.startsWith('chain_') ? 'transaction' : 'authorization'} was used for two payments`,
      explanation:
        `What authorizes or proves this payment${amount} to {payee} (${[...used].join(', ')}) was used before, in payment ${first.payment_id}. ` +
        'It pays once; an alert is raised at the second payment.',
      subject: event.payment_id,
      seqs: [...new Set([event.chain_seq, ...verdict.replays.map(replay => replay.chain_seq)])],
      gathers: true,
    };
  },
});

/** The names of single-use proofs, by the scope under which verifiers store them. */
const names = new Map([
  ['x402_nonce', 'a signed x402 transfer'],
  ['x402_nonce_unproven', 'a signed x402 transfer'],
  ['permit2_nonce', 'a signed x402 transfer'],
  ['permit2_nonce_unproven', 'a signed x402 transfer'],
  ['x402_receipt', 'a signed x402 receipt'],
  ['agent_signature_nonce', 'a signed request of the agent'],
  ['psp_webhook', 'a notice of the payment service'],
  ['chain_transfer', 'a transaction on the chain'],
  ['chain_transaction', 'a transaction on the chain'],
  ['ap2_mandate', 'a signed AP2 mandate'],
  ['ap2_receipt', 'a signed AP2 receipt'],
  ['acp_allowance', 'a spending allowance'],
  ['kyapay_jti', 'a KYAPay token'],
]);
