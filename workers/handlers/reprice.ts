import { createRateTable } from '#shared/events/input/fx_rates.ts';
import type { Jobs } from '#shared/platform/jobs.ts';
import type { Services } from '#shared/platform/services.ts';
import { repriceNext } from '#shared/reassessment/reprice.ts';

/**
 * Prices the events of a log that have no price, part by part, until nothing is left or until `stopping`. Each part moves its row on in its
 * own transaction, and finds only what still has no price: a job that is lost, or comes twice, changes nothing.
 */
export function createHandler({ db, queue, log, now }: Services, stopping: AbortSignal) {
  const rates = createRateTable(db, now, 0);
  return async (tenant: Jobs['reprice']): Promise<void> => {
    let events = 0;
    while (!stopping.aborted) {
      const current = await rates.current();
      const priced = await db.transaction(tx => repriceNext(tx, tenant, current, now()));
      if (priced === null) break;
      events += priced;
    }
    if (events === 0) return;
    log.info({ org_id: tenant.org_id, events }, 'events priced that had no price');
    // Detection passes by a log that is held; mandates are evaluated again.
    await queue.add('detect', [tenant]);
    await queue.add('recheck', [tenant]);
  };
}
