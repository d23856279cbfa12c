import { parseEvmAddress } from '#shared/values/evm_address.ts';
import { formatDuration, SECOND } from '#shared/values/time.ts';
import type { Checklist } from '#shared/verification/checklist.ts';
import { REPORTING_SLACK } from '#shared/verification/evm/transaction.ts';
import type { VerificationInput } from '#shared/verification/verifier.ts';
import { checkNetwork, checkPayee, isAfterwards, payeeAccount } from './against_event.ts';
import type { ReceiptPayload } from './artifact_payloads.ts';
import { checkSigner } from './check_seller_signature.ts';
import { findPaymentPayload, type PaymentPayload } from './payment_payload.ts';
import { checkResource } from './resource.ts';
import { findSettlement } from './settlement_response.ts';
import type { SignedArtifact } from './signed_artifact.ts';

const MISMATCH = 'receipt_mismatch';

/** Notes whether the seller signed a receipt, and whether it is for this payment. */
export async function checkReceipt(
  list: Checklist,
  input: VerificationInput,
  { payload: receipt, proof }: SignedArtifact<ReceiptPayload>,
): Promise<void> {
  const { event, evidence } = input;
  const payment = findPaymentPayload(evidence);
  const account = sellerAccount(input, payment, receipt.network);
  const resource_url = receipt.resourceUrl;
  const signer = await checkSigner(list, input, { proof, seller: { account, resource_url } });
  // Where the payee has no account, its signer is only the one that the payment names.
  if (signer && !payeeAccount(event.payee.key))
    checkPayee(list, event, { network: receipt.network, address: account ?? signer, resource_url, code: MISMATCH });
  // Receipts are issued on success only.
  const stopped = event.type === 'payment.failed' || event.type === 'payment.canceled';
  list.check('status', !stopped, 'receipt_status_conflict', `${event.type} was reported`);
  checkNetwork(list, event, receipt.network, MISMATCH);
  if (payment) {
    const same = payment.network === receipt.network;
    list.check(
      'authorization_network',
      same,
      MISMATCH,
      `authorized on ${payment.network}, receipt for ${receipt.network}`,
    );
    checkPayer(list, receipt.payer, payment.transfer.from);
  }
  checkResource(list, { event, evidence, signed: resource_url, code: MISMATCH });
  checkTransaction(list, input, receipt.transaction);
  checkIssuedAt(list, input, receipt.issuedAt);
  // Receipts that name no transaction are alike when one payer pays for one resource twice in a second.
  if (signer) list.once({ scope: 'x402_receipt', value: `${signer}/${proof.digest}`, code: 'receipt_reused' });
}

/** The account that is paid: the payee's, or, where he is known by another name, the one the payer accepted. */
function sellerAccount({ event }: VerificationInput, payment: PaymentPayload | null, network: string): string | null {
  const account = payeeAccount(event.payee.key);
  if (account) return account.startsWith(`${network}/`) ? account.slice(network.length + 1) : null;
  if (!payment) return null;
  return payment.transfer.method === 'opaque' ? (payment.accepted?.pay_to ?? null) : payment.transfer.to;
}

function checkPayer(list: Checklist, payer: string, from: string | null): void {
  if (from === null) return list.skip('payer', 'nothing says who paid');
  const address = parseEvmAddress(payer);
  if (!address.ok && !payer.startsWith('0x'))
    return void list.open('payer', 'payer_not_comparable', `nothing says that ${payer} is ${from}`);
  list.check('payer', address.ok && address.value.toLowerCase() === from, MISMATCH, `${payer} is not ${from}`);
}

function checkTransaction(list: Checklist, { evidence }: VerificationInput, transaction: string): void {
  const settled = findSettlement(evidence)?.transaction ?? '';
  if (transaction === '' || settled === '') return list.skip('transaction', 'no two transactions to compare');
  const same = transaction === settled || transaction.toLowerCase() === settled;
  list.check('transaction', same, MISMATCH, `${transaction} is not ${settled}`);
}

function checkIssuedAt(list: Checklist, { event }: VerificationInput, issued_at: number): void {
  const after = issued_at * SECOND - event.occurred_at;
  const fits = after <= REPORTING_SLACK && (isAfterwards(event) || after >= -REPORTING_SLACK);
  const apart = `issued ${formatDuration(Math.abs(after))} ${after > 0 ? 'after' : 'before'} the event`;
  list.check(
    'issued_at',
    fits,
    'timestamp_out_of_range',
    `${apart}; at most ${formatDuration(REPORTING_SLACK)} are accepted`,
  );
}
