import type { Checklist } from '#shared/verification/checklist.ts';
import type { TransferLog } from './transfer_logs.ts';
import type { ChainLookup } from '#shared/verification/verifier.ts';

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
