import type { Checklist } from '#shared/verification/checklist.ts';
import type { TransferLog } from './transfer_logs.ts';
import type { ChainLookup } from '#shared/verification/verifier.ts';

/**
 * Notes that the transfer which proves a payment proves no other. One transaction may hold many (settlements in batches), so it is told
 * from the others by its place among the logs, which is the same for whoever reads them. Of several alike nobody knows which is this
 * payment's, and they would prove any number of payments: that stays open.
 */
export function checkSingleUse(list: Checklist, { network, hash }: ChainLookup, fitting: readonly TransferLog[]): void {
  const [only, ...more] = fitting;
  if (!only) return;
  if (more.length > 0)
    return void list.open('single_use', 'transfer_ambiguous', `${fitting.length} transfers alike in one transaction`);
  list.once({ scope: 'chain_transfer', value: `${network}/${hash}/${only.position}`, code: 'transaction_reused' });
}
