import type { Checklist } from './checklist.ts';
import { type TransferLog, transferLogs } from '#shared/verification/evm/transfer_logs.ts';
import type { ChainLookup, VerificationInput } from './verifier.ts';
import { amountFits, isAfterwards, payeeAccount } from '#shared/verification/x402/against_event.ts';
import { findPaymentPayload } from '#shared/verification/x402/payment_payload.ts';

/**
 * Uses up the transaction that is reported as a payment, its receipt, whether it was read from its chain or is only claimed: it pays a payee
 * an amount once. It may pay other payees and other amounts too, in other payments. `hash` is in lower case on EVM chains.
 */
export function useTransaction(list: Checklist, input: VerificationInput, { network, hash }: ChainLookup): void {
  const { event, evidence } = input;
  // What stopped a payment or paid it back is none, and one transfer may pay back several.
  if (isAfterwards(event)) return;
  // A signed authorization is used once by itself, and several may be settled in one transaction.
  if (findPaymentPayload(evidence)) return;
  // Payments that the chain shows to be settled together are told apart by their transfers.
  if (transfersAlike(input, { network, hash }) > 1) return;
  const payee = payeeAccount(event.payee.key) ?? event.payee.key;
  const { denomination, value } = event.amount;
  const used = JSON.stringify([network, hash, payee, denomination, value.toString()]);
  list.once({ scope: 'chain_transaction', value: used, code: 'transaction_reused' });
}

/** How many transfers of the event's amount to its payee, as far as he is known by an account, its chain shows in a transaction. */
function transfersAlike({ event, chain }: VerificationInput, lookup: ChainLookup): number {
  const { network } = lookup;
  const account = payeeAccount(event.payee.key);
  return transferLogs(chain.transaction(lookup)?.logs ?? []).filter(
    ({ asset, to, value }) =>
      (account === null || account === `${network}/${to}`) && amountFits(event, { network, asset, value }, 'equal'),
  ).length;
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
