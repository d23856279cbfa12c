import { asError, Problem } from '#shared/interface/errors.ts';
import type { Jobs } from '#shared/platform/jobs.ts';
import { createDeltaIndexes } from '#shared/screening/flow/delta_indexes.ts';
import type { ReadyList } from '#shared/screening/flow/loaded_lists.ts';
import { rescreenPart } from '#shared/screening/flow/rescreen.ts';
import { screenDue, type ScreenedPart } from '#shared/screening/flow/screen_due.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import type { Services } from '#shared/platform/services.ts';
import type { ProcessServices } from '#shared/running/services.ts';
import { pause } from '#shared/platform/pause.ts';
import { liesInTheData } from '#shared/platform/lies_in_the_data.ts';

/** The most payees screened in one transaction. */
const PAYEES = 200;
/** While the results of one part are written, the next is searched. */
const AT_ONCE = 2;
/** How many parts of one log, `AT_ONCE` at a time, a job processes before other logs get their turn; the rest gets a new job. */
const PARTS_A_JOB = 20;
/** How many milliseconds to wait for other jobs on the same payees. */
const REST = 20;

/**
 * Screens the payees of a log that are due, and checks all of them against changes in a list, part by part, until `stopping`. A job that
 * arrives twice, or while another is running, finds other payees or none. Without any list, payees wait.
 */
export function createHandler(
  services: ProcessServices,
  stopping: AbortSignal,
): (data: Jobs['screen']) => Promise<void> {
  const { db, queue, lists, log, now } = services;
  const deltas = createDeltaIndexes(db);
  return async ({ org_id, environment }) => {
    const tenant = { org_id, environment };
    let at_once = 1;
    for (let part = 0; part < PARTS_A_JOB && !stopping.aborted; part += 1) {
      const ready = await lists.newest(tenant.org_id);
      // Payees affected by a list change come first: one that becomes due by it is then screened in full.
      const rescreened = await rescreenPart(db, tenant, { lists: ready, deltas, now });
      if (rescreened === 'again') await pause(REST);
      else if (rescreened?.done)
        log.info({ org_id, list: rescreened.rescreen.list }, 'payees screened against list changes');
      if (ready.length === 0) {
        if (!rescreened) return;
        continue;
      }
      const parts = await Promise.allSettled(
        Array.from({ length: at_once }, async () => {
          const screened = await screenSome(services, tenant, ready);
          if (screened) await tell(services, tenant, screened);
          return screened;
        }),
      );
      const screened = parts.map(settled);
      at_once = screened.some(done => done?.payees === PAYEES) ? AT_ONCE : 1;
      if (screened.every(done => done?.payees === 0) && !rescreened) return;
    }
    await queue.add('screen', [tenant]);
  };
}

function settled<T>(result: PromiseSettledResult<T>): T {
  if (result.status === 'rejected') throw result.reason;
  return result.value;
}

/**
 * Screens some payees that are due. If that fails because of their data, ever smaller parts narrow it down to the payee at fault, which is
 * skipped and recorded as a failure. Null when the lists have changed meanwhile.
 */
async function screenSome(
  { db, search, log, metrics, now }: ProcessServices,
  tenant: Tenant,
  lists: readonly ReadyList[],
): Promise<ScreenedPart | null> {
  const options = { lists, search, log, now };
  for (let limit = PAYEES; ; limit = Math.ceil(limit / 15)) {
    const start = performance.now();
    try {
      const screened = await screenDue(db, tenant, { ...options, limit });
      if (!screened || screened.payees === 0) return screened;
      const { payees, saved, raised } = screened;
      const ms = Math.round(performance.now() - start);
      metrics.screeningDuration.observe(ms / 1000);
      for (const { outcome } of saved) metrics.payeesScreened.inc({ state: outcome.payee.state });
      metrics.payeesScreened.inc({ state: 'error' }, payees - saved.length);
      log.info({ org_id: tenant.org_id, payees, alerts: raised.length, ms }, 'payees screened');
      return screened;
    } catch (error) {
      log.error({ error, org_id: tenant.org_id, limit }, 'payees not screened');
      // An interrupted search says nothing about the payees.
      if (error instanceof Problem || !liesInTheData(asError(error))) throw error;
      if (limit > 1) continue;
      metrics.payeesScreened.inc({ state: 'error' });
      return screenDue(db, tenant, { ...options, limit: 1, pass_over: true });
    }
  }
}

async function tell({ queue, metrics }: Services, tenant: Tenant, { jobs, raised, held }: ScreenedPart) {
  for (const { detector } of raised) metrics.alertsRaised.inc({ detector });
  await queue.add('webhook', [...jobs]);
  // Detection skips a log that is locked.
  if (held) await queue.add('detect', [tenant]);
}
