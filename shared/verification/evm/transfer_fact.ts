import type { Fact } from '#shared/verification/verifier.ts';

/**
 * A transfer inside a transaction proves one payment. One transaction may hold many of them (settlements in batches), so it is told
 * from the others by its place among the logs, which is the same for whoever reads them.
 */
export const transferFact = (network: string, hash: string, position: number): Fact => ({
  scope: 'chain_transfer',
  value: `${network}/${hash}/${position}`,
  code: 'transaction_reused',
});
