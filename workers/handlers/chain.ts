import { createAssessor } from '#shared/assessment/assessor.ts';
import { assessAgain } from '#shared/reassessment/assess_again.ts';
import { type Lookup, pendingLookups, saveAnswer } from '#shared/assessment/chain_lookups.ts';
import { createChainClient } from '#shared/assessment/chain/json_rpc.ts';
import { lockCursor } from '#shared/detection/consumer/cursor.ts';
import { asError } from '#shared/interface/errors.ts';
import type { Jobs } from '#shared/platform/jobs.ts';
import type { Services } from '#shared/platform/services.ts';
import type { ChainTransaction } from '#shared/verification/verifier.ts';

/**
 * Fetches the transactions of an event from their chains, outside any database transaction, and verifies the event again with the answers.
 */
export function createHandler(services: Services) {
  const { config, db, queue, log, now } = services;
  const assessor = createAssessor(services);
  const client = createChainClient({ urls: config.chain_rpc_urls });
  return async ({ chain_seq, ...tenant }: Jobs['chain']): Promise<void> => {
    const answers: { lookup: Lookup; answer: ChainTransaction | 'unknown' | 'unread' }[] = [];
    for (const lookup of await pendingLookups(db, tenant, chain_seq)) {
      const { network } = lookup;
      const answer = await client.read(lookup).then(
        transaction => transaction ?? ('unknown' as const),
        error => {
          log.warn({ error: asError(error), org_id: tenant.org_id, chain_seq, network }, 'chain not read');
          return 'unread' as const;
        },
      );
      answers.push({ lookup, answer });
    }
    if (answers.length === 0) return;
    const moment = { now: now(), rates: await assessor.rates.current() };
    // An answer and its result are stored in one transaction, so an interrupted job stores neither.
    const jobs = await db.transaction(async tx => {
      await lockCursor(tx, tenant);
      let settled = false;
      for (const { lookup, answer } of answers)
        if (await saveAnswer(tx, tenant, chain_seq, lookup, answer, now())) settled = true;
      return settled ? assessAgain(tx, tenant, [chain_seq], assessor, moment) : null;
    });
    if (!jobs) return;
    await queue.add('webhook', jobs);
    // Detection skips a log that is locked.
    await queue.add('detect', [tenant]);
  };
}
