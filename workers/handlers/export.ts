import { buildExport } from '#shared/exports/build.ts';
import { beginExport, finishExport } from '#shared/exports/store/export_claims.ts';
import { exportFile } from '#shared/exports/store/exports.ts';
import type { Jobs } from '#shared/platform/jobs.ts';
import type { Services } from '#shared/platform/services.ts';
import { createBuilder } from '#workers/build_files.ts';

/** Builds an export, or deletes the file of an expired one. Throws `WorkFailed`. */
export function createHandler(services: Services, stopping: AbortSignal): (data: Jobs['export']) => Promise<void> {
  const { db, now } = services;
  const build = createBuilder(services, stopping, {
    table: 'exports',
    thing: 'export',
    filesOf: (tenant, id, attempt) => [exportFile(tenant, id, attempt)],
    begin: (tenant, id) => beginExport(db, tenant, id, now()),
    metric: ({ kind }) => `export_${kind}`,
    build: (tenant, held, onProgress) => buildExport(services, tenant, held, onProgress),
    finish: (tenant, held, file) => finishExport(db, tenant, held, file, now()),
  });
  return ({ export_id, ...tenant }) => build(tenant, export_id);
}
