import {
  beginHour,
  failHour,
  finishHour,
  type HeldHour,
  keepHour,
  releaseHour,
} from '#shared/exports/store/schedule_claims.ts';
import { HourStands, writeHour } from '#shared/exports/write_hour.ts';
import { asError } from '#shared/interface/errors.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { Abandoned } from '#shared/packs/build_failed.ts';
import type { Jobs } from '#shared/platform/jobs.ts';
import type { Services } from '#shared/platform/services.ts';
import { StorageFault } from '#shared/platform/storage/storage.ts';
import { MINUTE } from '#shared/values/time.ts';
import { WorkFailed } from '#workers/failures.ts';
import { keepHold } from '#workers/keep_hold.ts';

/** How many hours a job writes, and for how long it begins another: then others get their turn. */
const HOURS_AT_ONCE = 24;
const LONGEST_TURN = MINUTE;

/**
 * Writes the hours of an export schedule that are over, in order. A job that arrives twice, or while another worker is at it, does nothing.
 * Throws `WorkFailed` when an hour could not be written; the schedule says why, and it is tried again.
 */
export function createHandler(services: Services, stopping: AbortSignal): (data: Jobs['export_hour']) => Promise<void> {
  const { db, now } = services;
  return async ({ kind, ...tenant }) => {
    const start = now();
    for (let hours = 0; hours < HOURS_AT_ONCE && now() < start + LONGEST_TURN && !stopping.aborted; hours += 1) {
      const held = await beginHour(db, tenant, kind, now());
      if (!held || !(await workOn(services, stopping, tenant, held))) return;
    }
  };
}

/** Writes an hour; false when it is left to a later job, or to another worker. */
async function workOn(services: Services, stopping: AbortSignal, tenant: Tenant, held: HeldHour): Promise<boolean> {
  const { db, log, now } = services;
  const about = { org_id: tenant.org_id, kind: held.kind, hour: held.hour_at };
  const start = performance.now();
  const hold = keepHold(services, stopping, held.folder, () => keepHour(db, tenant, held, now()));
  try {
    const written = await writeHour(services, tenant, held, () => hold.onProgress(0)).finally(hold.stop);
    if (!written) {
      await releaseHour(db, tenant, held, now() + MINUTE);
      log.info(about, 'hour not exported yet: changes of it are being committed');
      return false;
    }
    if (!(await finishHour(db, tenant, held, written, now()))) throw new Abandoned('it is in other hands');
    log.info({ ...about, ms: Math.round(performance.now() - start) }, 'hour exported');
    return true;
  } catch (error) {
    if (error instanceof Abandoned) {
      await releaseHour(db, tenant, held, now());
      log.info({ ...about, reason: error.message }, 'hour left');
      return false;
    }
    log.error({ ...about, error: asError(error) }, 'hour not exported');
    await failHour(db, tenant, held, reasonOf(error), now());
    throw new WorkFailed(`The hour ${held.hour_at}: ${asError(error).message}`);
  }
}

const reasonOf = (error: unknown) =>
  error instanceof HourStands ? error.message : error instanceof StorageFault ? NOT_TAKEN : NOT_WRITTEN;

const NOT_TAKEN = 'The storage did not take it. It is tried again.';
const NOT_WRITTEN = 'The service could not write it. It is tried again; if it stays so, tell the operator.';
