import type { Jobs } from '#shared/platform/jobs.ts';
import { buildPack } from '#shared/packs/build.ts';
import { filesOf } from '#shared/packs/files_of.ts';
import { beginPack, finishPack } from '#shared/packs/store/pack_claims.ts';
import type { Services } from '#shared/platform/services.ts';
import { createBuilder } from '#workers/build_files.ts';

/** Builds a pack and notifies webhooks of it, or deletes the files of an expired one. Throws `WorkFailed`. */
export function createHandler(services: Services, stopping: AbortSignal): (data: Jobs['pack']) => Promise<void> {
  const { db, queue, now } = services;
  const build = createBuilder(services, stopping, {
    table: 'packs',
    thing: 'pack',
    filesOf: (tenant, id, attempt) => Object.values(filesOf(tenant, id, attempt)),
    begin: (tenant, id) => beginPack(db, tenant, id, now()),
    metric: ({ kind }) => kind,
    build: (tenant, held, onProgress) => buildPack(services, tenant, held, onProgress),
    async finish(tenant, held, file) {
      const jobs = await finishPack(db, tenant, held, file, now());
      if (jobs) await queue.add('webhook', jobs);
      return jobs !== null;
    },
  });
  return ({ pack_id, ...tenant }) => build(tenant, pack_id);
}
