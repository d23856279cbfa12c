import test from 'ava';
import { UptoEvmScheme } from '@x402/evm';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { ExactEvmSchemeV1 } from '@x402/evm/v1';
import { x402Authorization } from '#shared/verification/x402/authorization.ts';
import { evidenceOf, inputOf, paymentEvent, signPayment, wallet } from '#test/helpers/proofs/x402.ts';

/** The payment that the client of x402 itself makes now. */
async function verify(payload: Record<string, unknown>) {
  const evidence = evidenceOf('x402.payment_payload', payload);
  const event = paymentEvent({ at: Math.floor(Date.now() / 1000) });
  return x402Authorization.verify(evidence, inputOf(event, [evidence]));
}

type Requirements = Parameters<ExactEvmScheme['createPaymentPayload']>[1];

test('what the client of x402 signs is verified: EIP-3009, Permit2, upto, and version 1', async t => {
  const { terms } = await signPayment();
  const exact = new ExactEvmScheme(wallet('payer'));
  const requirements = terms as unknown as Requirements;
  const eip3009 = await exact.createPaymentPayload(2, requirements);
  t.is((await verify({ ...eip3009, accepted: terms })).result, 'verified');

  const byPermit2 = { ...terms, extra: { ...terms.extra, assetTransferMethod: 'permit2' } };
  const permit2 = await exact.createPaymentPayload(2, byPermit2 as unknown as Requirements);
  t.true('permit2Authorization' in permit2.payload);
  t.is((await verify({ ...permit2, accepted: byPermit2 })).result, 'verified');

  const { terms: most } = await signPayment({ scheme: 'upto' });
  const upto = await new UptoEvmScheme(wallet('payer')).createPaymentPayload(2, most as unknown as Requirements);
  t.is((await verify({ ...upto, accepted: most })).result, 'verified');

  const v1 = { ...terms, network: 'base-sepolia', maxAmountRequired: terms.amount } as unknown as Requirements;
  const first = await new ExactEvmSchemeV1(wallet('payer')).createPaymentPayload(1, v1);
  t.is((await verify({ ...first })).result, 'verified');
});
