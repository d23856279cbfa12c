import type { Transfer } from './payment_payload.ts';

/**
 * x402's codes for faults of a payment: for EIP-3009 as in section 9 of the x402 specification, for Permit2 as facilitators answer (x402,
 * typescript/packages/mechanisms/evm, facilitator/errors.ts).
 */
type PaymentCodes = {
  signature: string;
  recipient: string;
  amount: string;
  too_early: string;
  too_late: string;
};

export const codesOf = ({ method }: Transfer): PaymentCodes => (method === 'permit2' ? permit2 : eip3009);

const eip3009: PaymentCodes = {
  signature: 'invalid_exact_evm_payload_signature',
  recipient: 'invalid_exact_evm_payload_recipient_mismatch',
  amount: 'invalid_exact_evm_payload_authorization_value_mismatch',
  too_early: 'invalid_exact_evm_payload_authorization_valid_after',
  too_late: 'invalid_exact_evm_payload_authorization_valid_before',
};

const permit2: PaymentCodes = {
  signature: 'invalid_permit2_signature',
  recipient: 'invalid_permit2_recipient_mismatch',
  amount: 'permit2_amount_mismatch',
  too_early: 'permit2_not_yet_valid',
  too_late: 'permit2_deadline_expired',
};
