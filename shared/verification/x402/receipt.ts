import { createChecklist } from '#shared/verification/checklist.ts';
import type { Outcome, Verifier } from '#shared/verification/verifier.ts';
import { checkOffer } from './check_offer.ts';
import { checkReceipt } from './check_receipt.ts';
import { readOffer, readReceipt } from './signed_artifact.ts';

/**
 * Signed offers and receipts of x402 (extension "offer and receipt"), by EIP-712 or as a JWS: whether the seller signed them, and
 * whether they are about this payment.
 */
export const x402Receipt: Verifier = {
  kind: 'x402_receipt',
  version: '1',
  reads: ['x402.offer', 'x402.receipt'],
  async verify({ kind, value }, input): Promise<Outcome> {
    const list = createChecklist();
    if (value === null) {
      list.open('payload', 'evidence_erased');
      return list.outcome();
    }
    if (kind === 'x402.offer') {
      const offer = readOffer(value);
      if (!offer.ok) list.fail('payload', 'invalid_payload', offer.reason);
      else if (list.pass('payload')) await checkOffer(list, input, offer.value);
      return list.outcome();
    }
    const receipt = readReceipt(value);
    if (!receipt.ok) list.fail('payload', 'invalid_payload', receipt.reason);
    else if (list.pass('payload')) await checkReceipt(list, input, receipt.value);
    return list.outcome();
  },
};
