import { z } from 'zod';
import { normalizeNetwork } from '#shared/values/networks.ts';
import { type Checklist, createChecklist } from './checklist.ts';
import { checkBlockTime, readTransaction } from '#shared/verification/evm/transaction.ts';
import { type TransferLog, transferLogs } from '#shared/verification/evm/transfer_logs.ts';
import { checkSingleUse, useTransaction } from './transaction_facts.ts';
import type { ChainTransaction, Outcome, VerificationInput, Verifier } from './verifier.ts';
import { amountFits, checkNetwork, isPartial, payeeAccount } from '#shared/verification/x402/against_event.ts';
import { Bytes32, openEvidence, readAs } from '#shared/verification/x402/read_evidence.ts';

/** A transaction reported as the payment: whether it transferred the event's amount to the payee, according to its chain. */
export const onchainTransfer: Verifier = {
  kind: 'onchain_transfer',
  version: '2',
  reads: ['onchain.transaction'],
  verify(evidence, input): Outcome {
    const list = createChecklist();
    const raw = openEvidence(list, evidence);
    if (!raw) return list.outcome();
    const transfer = readAs(TransactionReference, raw);
    const network = transfer.ok ? normalizeNetwork(transfer.value.network) : null;
    if (!transfer.ok) list.fail('payload', 'invalid_payload', transfer.reason);
    else if (network === null) list.fail('network', 'invalid_network', 'unknown network');
    else checkNamed(list, input, { network, hash: transfer.value.hash });
    return list.outcome();
  },
};

const TransactionReference = z.looseObject({ network: z.string().min(1).max(64), hash: z.string().min(1).max(200) });

type Lookup = { network: string; hash: string };

function checkNamed(list: Checklist, input: VerificationInput, { network, hash }: Lookup): void {
  checkNetwork(list, input.event, network, 'invalid_network');
  if (!network.startsWith('eip155:')) {
    useTransaction(list, input, { network, hash });
    return void list.open('chain', 'network_not_supported', network);
  }
  const parsed = readAs(Bytes32, hash);
  if (!parsed.ok) return void list.fail('payload', 'invalid_payload', `hash ${parsed.reason}`);
  list.pass('payload');
  useTransaction(list, input, { network, hash: parsed.value });
  const transaction = readTransaction(list, input, { network, hash: parsed.value });
  if (transaction) checkTransaction(list, input, { network, hash: parsed.value }, transaction);
}

function checkTransaction(
  list: Checklist,
  input: VerificationInput,
  lookup: Lookup,
  transaction: ChainTransaction,
): void {
  const { type } = input.event;
  const stopped = type === 'payment.failed' || type === 'payment.canceled';
  const state = transaction.succeeded ? 'the transaction succeeded' : 'the transaction was reverted';
  checkBlockTime(list, input, transaction);
  if (stopped && !transaction.succeeded)
    return void list.open('transfer', 'nothing_transferred', 'a reverted transaction does not show what it was for');
  const sound = transaction.succeeded && !stopped;
  if (!list.check('transaction_state', sound, 'invalid_transaction_state', `${state}, ${type} was reported`)) return;
  checkTransfer(list, input, lookup, transaction);
}

function checkTransfer(
  list: Checklist,
  { event }: VerificationInput,
  lookup: Lookup,
  { logs }: ChainTransaction,
): void {
  const account = payeeAccount(event.payee.key);
  if (!account) return void list.open('transfer', 'payee_not_comparable', `${event.payee.key} is no account`);
  if (event.amount.asset === null && event.amount.currency !== 'USD')
    return void list.open('transfer', 'amount_not_comparable', `${event.amount.denomination} does not name a token`);
  const fitting = transferLogs(logs).filter(log => isPayment(event, lookup.network, account, log));
  const detail = `no transfer of ${event.amount.value} ${event.amount.denomination} to ${account} in it`;
  list.check('transfer', fitting.length > 0, 'settlement_log_mismatch', detail);
  checkSingleUse(list, lookup, fitting);
}

/** A transfer of the reported amount to the payee; after a refund also one back from the payee. */
function isPayment(event: VerificationInput['event'], network: string, account: string, log: TransferLog): boolean {
  const { asset, from, to, value } = log;
  const back = event.type === 'payment.refunded' && `${network}/${from}` === account;
  if (back) return amountFits(event, { network, asset, value }, 'equal');
  return (
    `${network}/${to}` === account &&
    amountFits(event, { network, asset, value }, isPartial(event) ? 'at_least' : 'equal')
  );
}
