import type { Checklist } from './checklist.ts';
import type { TransferLog } from '#shared/verification/evm/transfer_logs.ts';
import type { ChainLookup, VerificationInput } from './verifier.ts';
import { payeeAccount } from '#shared/verification/x402/against_event.ts';
import { findPaymentPayload } from '#shared/verification/x402/payment_payload.ts';

/**
 * Uses up the transaction that is claimed to have settled a payment, its receipt: it pays a payee an amount once. It may pay other payees and
 * other amounts too, in other payments. One that was read from its chain is used up by its transfers. `hash` is in lower case on EVM chains.
 */
export function useTransaction(list: Checklist, input: VerificationInput, { network, hash }: ChainLookup): void {
  const { event, evidence, chain } = input;
  if (event.type !== 'payment.settled' || chain.transaction({ network, hash })) return;
  // A signed authorization is used once by itself, and several may be settled in one transaction.
  if (findPaymentPayload(evidence)) return;
  const payee = payeeAccount(event.payee.key) ?? event.payee.key;
  const { denomination, value } = event.amount;
  const used = JSON.stringify([network, hash, payee, denomination, value.toString()]);
  list.once({ scope: 'chain_transaction', value: used, code: 'transaction_reused', is_claimed: true });
}

/**
 * Ensures that the transfer which proves a payment proves no other. A transaction may contain many (batched settlements), so transfers are
 * distinguished by their position among the logs, which all readers see alike. Of identical ones it is unknown which belongs to this
 * payment, and they would prove any number of payments: the check stays open.
 */
export function checkSingleUse(list: Checklist, { network, hash }: ChainLookup, fitting: readonly TransferLog[]): void {
  const [only, ...more] = fitting;
  if (!only) return;
  if (more.length > 0)
    return void list.open('single_use', 'transfer_ambiguous', `${fitting.length} transfers alike in one transaction`);
  list.once({ scope: 'chain_transfer', value: `${network}/${hash}/${only.position}`, code: 'transaction_reused' });
}
