import { acpAllowance } from './acp_allowance.ts';
import { agentSignature } from './agent_signature.ts';
import { ap2Mandate } from '#shared/verification/ap2/ap2_mandate.ts';
import { ap2Receipt } from '#shared/verification/ap2/ap2_receipt.ts';
import { kyapayToken } from './kyapay_token.ts';
import { onchainTransfer } from './onchain_transfer.ts';
import { pspWebhook } from '#shared/verification/psp_webhook/psp_webhook.ts';
import { sourceSignature } from './source_signature.ts';
import type { Verifier } from './verifier.ts';
import { x402Authorization } from '#shared/verification/x402/authorization.ts';
import { x402Receipt } from '#shared/verification/x402/receipt.ts';
import { x402Settlement } from '#shared/verification/x402/settlement.ts';

/** Every verifier, in the order they run. To add one: a file, its test, a line here. */
export const verifiers: Verifier[] = [
  x402Authorization,
  x402Settlement,
  x402Receipt,
  ap2Mandate,
  ap2Receipt,
  pspWebhook,
  agentSignature,
  kyapayToken,
  acpAllowance,
  sourceSignature,
  onchainTransfer,
];
