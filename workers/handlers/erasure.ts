import { runErasure } from '#shared/erasure/run_erasure.ts';
import type { Jobs } from '#shared/platform/jobs.ts';
import type { Services } from '#shared/platform/services.ts';

/** Continues an erasure, step by step, until it is done or until `stopping`. A job that arrives twice finds nothing to do. */
export function createHandler(services: Services, stopping: AbortSignal) {
  const { log } = services;
  return async ({ erasure_id, ...tenant }: Jobs['erasure']): Promise<void> => {
    await runErasure(services, tenant, erasure_id, stopping);
    log.info({ erasure_id, org_id: tenant.org_id }, stopping.aborted ? 'erasure left' : 'erasure done');
  };
}
