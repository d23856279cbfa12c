import { createAssessor } from '#shared/assessment/assessor.ts';
import { isBehind } from '#shared/detection/consumer/behind.ts';
import { createRateTable } from '#shared/events/input/fx_rates.ts';
import { pauseRepricing } from '#shared/events/ranges/repricings.ts';
import type { Jobs } from '#shared/platform/jobs.ts';
import type { Services } from '#shared/platform/services.ts';
import { asError } from '#shared/interface/errors.ts';
import { repriceNext } from '#shared/reassessment/reprice.ts';

/**
 * Prices the events of a log that have no price, part by part, until none is left or until `stopping`. If detection of the log is behind,
 * it gets its turn after each part, and the next job continues. Each part advances its row in the same transaction and selects only events
 * still without a price, so a job that is lost or arrives twice does no harm.
 */
export function createHandler(services: Services, stopping: AbortSignal) {
  const { db, queue, metrics, log, now } = services;
  const table = createRateTable(db, now, 0);
  const assessor = createAssessor(services);
  return async (tenant: Jobs['reprice']): Promise<void> => {
    let [events, alerts] = [0, 0];
    while (!stopping.aborted) {
      const priced = await repriceNext(db, tenant, { table, assessor }, now());
      if (priced === null) break;
      if (priced.events === 0) continue;
      events += priced.events;
      alerts += priced.raised.length;
      if (priced.fault !== undefined)
        log.error(
          { error: asError(priced.fault), org_id: tenant.org_id },
          'events priced and not judged by their price',
        );
      for (const { detector } of priced.raised) metrics.alertsRaised.inc({ detector });
      await queue.add('webhook', priced.jobs);
      // Detection skips a log that is locked.
      await queue.add('detect', [tenant]);
      if (!(await isBehind(db, tenant))) continue;
      await pauseRepricing(db, tenant, now());
      break;
    }
    if (events === 0) return;
    log.info({ org_id: tenant.org_id, events, alerts }, 'events priced that had no price');
    // Mandates are evaluated again.
    await queue.add('recheck', [tenant]);
  };
}
