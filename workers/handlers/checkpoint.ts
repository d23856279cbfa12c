import type { Jobs } from '#shared/platform/jobs.ts';
import { publishCheckpoint } from '#shared/ledger/publish.ts';
import type { Services } from '#shared/platform/services.ts';

/** Lets the tree of a log grow and signs it. A job that comes twice, or while another is at it, finds it done. */
export const createCheckpointHandler =
  (services: Services) =>
  async (tenant: Jobs['checkpoint']): Promise<void> => {
    await publishCheckpoint(services, tenant);
  };
