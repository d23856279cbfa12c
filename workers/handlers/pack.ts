import { asError } from '#shared/interface/errors.ts';
import type { Jobs } from '#shared/platform/jobs.ts';
import { Abandoned, BuildFailed } from '#shared/packs/build_failed.ts';
import { buildPack } from '#shared/packs/build.ts';
import { filesOf } from '#shared/packs/files_of.ts';
import {
  beginPack,
  type ClaimedPack,
  failPack,
  finishPack,
  isBuilt,
  leftOver,
  noteRemoved,
  returnPack,
  saveProgress,
} from '#shared/packs/store/pack_claims.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import type { Services } from '#shared/platform/services.ts';
import { StorageFault } from '#shared/platform/storage/storage.ts';
import { SECOND } from '#shared/values/time.ts';
import { WorkFailed } from '#workers/failures.ts';

/** How often it is noted that a worker is at a pack, and how far it has got. */
const SAVE_EVERY = 2 * SECOND;

/**
 * Builds a pack, or deletes the files of one whose time is over. A job that comes twice, or for a pack in other hands, finds nothing to do;
 * a worker that stops releases its pack. Throws `WorkFailed` when it was not built; its row records the failure.
 */
export function createHandler(services: Services, stopping: AbortSignal): (data: Jobs['pack']) => Promise<void> {
  const { db, log, metrics, now } = services;
  return async ({ pack_id, ...tenant }) => {
    const begun = await leftOver(db, tenant, pack_id);
    if (begun !== null) return removeLeftOver(services, tenant, pack_id, begun);
    const held = await beginPack(db, tenant, pack_id, now());
    if (!held) return;
    const start = performance.now();
    const about = { pack_id, org_id: tenant.org_id };
    const hold = keepHold(services, tenant, held, stopping);
    try {
      const made = await buildPack(services, tenant, held, hold.onProgress).finally(hold.stop);
      const jobs = await finishPack(db, tenant, held, made, now());
      if (!jobs) throw new Abandoned('the pack is in other hands, or was removed');
      const ms = Math.round(performance.now() - start);
      metrics.packDuration.observe({ kind: held.kind }, ms / 1000);
      log.info({ ...about, events: held.event_count, size_bytes: made.size_bytes, ms }, 'pack built');
      await services.queue.add('webhook', jobs);
    } catch (error) {
      await dropAttempt(services, tenant, held);
      if (error instanceof Abandoned) {
        if (stopping.aborted) await returnPack(db, tenant, held, now());
        log.info({ ...about, reason: error.message }, 'pack left');
        return;
      }
      log.error({ ...about, error: asError(error), attempt: held.attempts }, 'pack not built');
      metrics.packFailures.inc({ kind: held.kind });
      await failPack(db, tenant, held, reasonOf(error), now());
      throw new WorkFailed(`Attempt ${held.attempts}: ${asError(error).message}`);
    }
  };
}

/**
 * Keeps a pack in the hands of this worker for as long as it is at it, and ends the build of one that stops, or does not hold the pack any
 * more. `stop` when the build is over.
 */
function keepHold({ db, log, now }: Services, tenant: Tenant, held: ClaimedPack, stopping: AbortSignal) {
  let done = 0;
  let lost = false;
  let saving = Promise.resolve();
  const save = async () => {
    try {
      lost = !(await saveProgress(db, tenant, held, done, now()));
    } catch (error) {
      log.warn({ error: asError(error), pack_id: held.id }, 'progress of a pack not noted; it is tried again');
    }
  };
  const timer = setInterval(() => (saving = saving.then(save)), SAVE_EVERY);
  return {
    async onProgress(made: number) {
      done = Math.min(made, 0.99);
      if (stopping.aborted) throw new Abandoned('the worker stops');
      if (lost) throw new Abandoned('the pack is in other hands, or was removed');
    },
    async stop() {
      clearInterval(timer);
      await saving;
    },
  };
}

/** Deletes the files of an attempt that came to nothing. Where that cannot be known or done, they go when the pack does. */
async function dropAttempt(services: Services, tenant: Tenant, held: ClaimedPack): Promise<void> {
  try {
    // A commit may have arrived although its answer did not.
    if (await isBuilt(services.db, tenant, held)) return;
    await removeFiles(services, tenant, held.id, held.attempts);
  } catch (error) {
    services.log.warn(
      { error: asError(error), pack_id: held.id },
      'files of an attempt not deleted; they go with the pack',
    );
  }
}

/** Deletes the files that any attempt at a pack may have left. */
async function removeLeftOver(services: Services, tenant: Tenant, pack_id: string, attempts: number): Promise<void> {
  for (let attempt = 1; attempt <= attempts; attempt += 1) await removeFiles(services, tenant, pack_id, attempt);
  await noteRemoved(services.db, tenant, pack_id);
  services.log.info({ pack_id, org_id: tenant.org_id }, 'files of a pack deleted');
}

async function removeFiles({ storage }: Services, tenant: Tenant, pack_id: string, attempt: number): Promise<void> {
  const files = filesOf(tenant, pack_id, attempt);
  await storage.remove(files.zip);
  await storage.remove(files.report);
}

/** The reason, for the person who requested the pack. Details for the operator are in the log. */
function reasonOf(error: unknown): string {
  if (error instanceof BuildFailed) return error.message;
  const { code } = asError(error instanceof StorageFault ? error.cause : error) as Error & { code?: unknown };
  if (code === 'ENOSPC')
    return 'There is no room left where packs are kept. Ask for it again when the operator has made some.';
  if (error instanceof StorageFault) return 'Where packs are kept it was not taken. Ask for it again in a while.';
  return 'The service could not build it. Ask for it again; if that fails too, tell the operator its id.';
}
