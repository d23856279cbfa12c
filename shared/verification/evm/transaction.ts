import { formatDuration, MINUTE } from '#shared/values/time.ts';
import type { Checklist } from '#shared/verification/checklist.ts';
import type { ChainLookup, ChainTransaction, VerificationInput } from '#shared/verification/verifier.ts';

/**
 * Finds a transaction in the data read from its chain, and records the outcome; null when there is no answer. A node that does not know a
 * transaction may lag behind, which proves nothing: the check stays open, and the chain is read again.
 */
export function readTransaction(
  list: Checklist,
  { chain }: VerificationInput,
  lookup: ChainLookup,
): ChainTransaction | null {
  const transaction = chain.transaction(lookup);
  if (transaction === undefined) {
    list.open('chain', 'chain_not_read', `${lookup.hash} on ${lookup.network} was not read yet`);
    list.lookUp(lookup);
    return null;
  }
  if (transaction === null) {
    list.open('chain', 'transaction_not_found', `${lookup.network} does not know ${lookup.hash}`);
    return null;
  }
  list.pass('chain', `${lookup.hash} on ${lookup.network}`);
  return transaction;
}

/** How far a block's time may be from the reported time: clocks, queues and batched settlements. */
export const REPORTING_SLACK = 60 * MINUTE;

/** Checks that the block's time fits the event's: an old payment must not prove a new one. */
export function checkBlockTime(list: Checklist, { event }: VerificationInput, { block_time }: ChainTransaction): void {
  const after = event.occurred_at - block_time;
  // Refunds and disputes may come any time after the payment.
  const old = event.type === 'payment.refunded' || event.type === 'payment.disputed';
  const fits = old ? after >= -REPORTING_SLACK : Math.abs(after) <= REPORTING_SLACK;
  list.check(
    'block_time',
    fits,
    'block_time_mismatch',
    `the block is ${formatDuration(Math.abs(after))} ${after > 0 ? 'before' : 'after'} the event; at most ${formatDuration(REPORTING_SLACK)} are accepted`,
  );
}
