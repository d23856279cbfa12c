import type { Checklist } from '#shared/verification/checklist.ts';
import { checkBlockTime, readTransaction } from '#shared/verification/evm/transaction.ts';
import { checkSingleUse, useTransaction } from '#shared/verification/transaction_facts.ts';
import { authorizationUsedAt, type TransferLog, transferLogs } from '#shared/verification/evm/transfer_logs.ts';
import type { ChainTransaction, VerificationInput } from '#shared/verification/verifier.ts';
import { amountFits, type Relation } from './against_event.ts';
import type { ClaimedTransfer } from './claim.ts';
import type { SettlementResponse } from './settlement_response.ts';

type Settled = { response: SettlementResponse & { network: string }; claim: ClaimedTransfer; relation: Relation };

/** Notes what the chain knows of a settlement: state, transfer and authorization in the logs, time of the block. */
export function checkSettledOnChain(list: Checklist, input: VerificationInput, settled: Settled): void {
  const { success, network, transaction: hash, amount } = settled.response;
  if (hash === '') {
    // Only an amount of zero can be settled without a transaction (scheme upto).
    if (success && amount !== 0n) list.fail('transaction', 'invalid_payload', 'settled, but without a transaction');
    else list.open('transaction', 'no_transaction', 'nothing was sent to the chain');
    return;
  }
  if (success) useTransaction(list, input, { network, hash });
  if (!network.startsWith('eip155:')) return void list.open('chain', 'network_not_supported', network);
  const transaction = readTransaction(list, input, { network, hash });
  if (!transaction) return;
  const state = transaction.succeeded ? 'the transaction succeeded' : 'the transaction was reverted';
  if (!list.check('transaction_state', transaction.succeeded === success, 'invalid_transaction_state', state)) return;
  checkBlockTime(list, input, transaction);
  if (!success)
    return void list.open('transfer', 'nothing_transferred', 'a reverted transaction does not show what it was for');
  checkLogs(list, input, settled, transaction);
}

function checkLogs(list: Checklist, input: VerificationInput, settled: Settled, { logs }: ChainTransaction): void {
  const { network, transaction: hash } = settled.response;
  const { asset, from, to, nonce } = settled.claim;
  if (asset === null) return void list.open('transfer', 'asset_unknown', 'nothing names the asset that was paid with');
  if (to === null) return void list.open('transfer', 'payee_not_comparable', 'nothing names the account that was paid');
  const used_at = nonce !== null && from !== null ? authorizationUsedAt(logs, asset, from, nonce) : null;
  if (used_at !== null)
    list.check(
      'authorization_used',
      used_at >= 0,
      'settlement_log_mismatch',
      `${asset} did not use the authorization up`,
    );
  const fitting = transferLogs(logs).filter(
    log =>
      log.asset === asset && log.to === to && (from === null || log.from === from) && valueFits(input, settled, log),
  );
  const detail = `no transfer of ${asset} from ${from ?? 'any wallet'} to ${to} of this amount`;
  list.check('transfer', fitting.length > 0, 'settlement_log_mismatch', detail);
  checkSingleUse(list, { network, hash }, theTransfer(fitting, used_at));
}

function valueFits(
  { event }: VerificationInput,
  { response, claim, relation }: Settled,
  { asset, value }: TransferLog,
): boolean {
  const { network } = response;
  const most = claim.authorization?.value ?? null;
  if (claim.value !== null && value !== claim.value) return false;
  if (most !== null && value > most) return false;
  return amountFits(event, { network, asset, value }, relation);
}

/** Tokens emit the transfer right after marking the authorization as used. Without such a mark, any of several equal transfers will do. */
function theTransfer(fitting: TransferLog[], used_at: number | null): TransferLog[] {
  if (used_at === null || used_at < 0) return fitting;
  const after = fitting.filter(log => log.position > used_at);
  return (after.length > 0 ? after : fitting).slice(0, 1);
}
