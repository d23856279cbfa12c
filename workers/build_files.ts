import { asError } from '#shared/interface/errors.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { Abandoned, BuildFailed } from '#shared/packs/build_failed.ts';
import {
  type Building,
  fail,
  giveBack,
  type BuildClaim,
  isBuilt,
  leftOver,
  noteRemoved,
  saveProgress,
} from '#shared/packs/store/builds.ts';
import type { Services } from '#shared/platform/services.ts';
import { StorageFault } from '#shared/platform/storage/storage.ts';
import { WorkFailed } from './failures.ts';
import { keepHold } from './keep_hold.ts';

/** Something a worker builds into files. */
export type Buildable<H extends BuildClaim, M> = {
  table: Building;
  /** What the process's log calls it. */
  thing: 'pack' | 'export';
  /** Its label in the metrics. */
  metric(held: H): string;
  /** The names of its files in the storage; every attempt has its own. */
  filesOf(tenant: Tenant, id: string, attempt: number): string[];
  /** Claims one that is waiting; null when there is nothing to build. */
  begin(tenant: Tenant, id: string): Promise<H | null>;
  build(tenant: Tenant, held: H, onProgress: (done: number) => Promise<void>): Promise<M>;
  /** Marks it as built; false when another worker has claimed it since, or it was removed. */
  finish(tenant: Tenant, held: H, made: M): Promise<boolean>;
};

/**
 * Builds a pack or an export, or deletes the files of one that has expired. A job that arrives twice, or for one that another worker holds,
 * does nothing; a worker that stops releases its build. Throws `WorkFailed` when the build failed; its row records why.
 */
export function createBuilder<H extends BuildClaim, M extends { size_bytes: number }>(
  services: Services,
  stopping: AbortSignal,
  buildable: Buildable<H, M>,
): (tenant: Tenant, id: string) => Promise<void> {
  const { db, log, metrics, now } = services;
  const { table, thing, metric, begin, build, finish } = buildable;
  return async (tenant, id) => {
    const begun = await leftOver(db, table, tenant, id);
    if (begun !== null) return removeLeftOver(services, buildable, tenant, id, begun);
    const held = await begin(tenant, id);
    if (!held) return;
    const start = performance.now();
    const about = { [`${thing}_id`]: id, org_id: tenant.org_id };
    const hold = keepHold(services, stopping, id, progress =>
      saveProgress(db, table, tenant, held, { progress, now: now() }),
    );
    try {
      const file = await build(tenant, held, hold.onProgress).finally(hold.stop);
      if (!(await finish(tenant, held, file))) throw new Abandoned(`the ${thing} is in other hands, or was removed`);
      const ms = Math.round(performance.now() - start);
      metrics.packDuration.observe({ kind: metric(held) }, ms / 1000);
      log.info({ ...about, size_bytes: file.size_bytes, ms }, `${thing} built`);
    } catch (error) {
      await dropAttempt(services, buildable, tenant, held);
      if (error instanceof Abandoned) {
        if (stopping.aborted) await giveBack(db, table, tenant, held, now());
        log.info({ ...about, reason: error.message }, `${thing} left`);
        return;
      }
      log.error({ ...about, error: asError(error), attempt: held.attempts }, `${thing} not built`);
      metrics.packFailures.inc({ kind: metric(held) });
      await fail(db, table, tenant, held, { reason: reasonOf(error, thing), now: now() });
      throw new WorkFailed(`Attempt ${held.attempts}: ${asError(error).message}`);
    }
  };
}

type Files = Pick<Buildable<never, never>, 'table' | 'thing' | 'filesOf'>;

/** Deletes the files of a failed attempt. If that fails, they are deleted together with the rest. */
async function dropAttempt(services: Services, files: Files, tenant: Tenant, held: BuildClaim): Promise<void> {
  try {
    // The commit may have succeeded although its answer was lost.
    if (await isBuilt(services.db, files.table, tenant, held)) return;
    await removeFiles(services, files.filesOf(tenant, held.id, held.attempts));
  } catch (error) {
    services.log.warn(
      { error: asError(error), id: held.id },
      `files of an attempt not deleted; they go with the ${files.thing}`,
    );
  }
}

/** Deletes the files that any attempt may have left behind. */
async function removeLeftOver(services: Services, files: Files, tenant: Tenant, id: string, attempts: number) {
  for (let attempt = 1; attempt <= attempts; attempt += 1)
    await removeFiles(services, files.filesOf(tenant, id, attempt));
  await noteRemoved(services.db, files.table, tenant, id);
  services.log.info(
    { id, org_id: tenant.org_id },
    `files of ${files.thing === 'pack' ? 'a pack' : 'an export'} deleted`,
  );
}

async function removeFiles({ storage }: Services, names: readonly string[]): Promise<void> {
  for (const name of names) await storage.remove(name);
}

/** The reason, for the person who requested it. Operators find the details in the log. */
function reasonOf(error: unknown, thing: 'pack' | 'export'): string {
  if (error instanceof BuildFailed) return error.message;
  const { code } = asError(error instanceof StorageFault ? error.cause : error) as Error & { code?: unknown };
  if (code === 'ENOSPC')
    return `There is no room left where ${thing}s are kept. Ask for it again when the operator has made some.`;
  if (error instanceof StorageFault) return `Where ${thing}s are kept it was not taken. Ask for it again in a while.`;
  return 'The service could not build it. Ask for it again; if that fails too, tell the operator its id.';
}
