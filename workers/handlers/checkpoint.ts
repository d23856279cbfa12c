import type { Jobs } from '#shared/platform/jobs.ts';
import { publishCheckpoint } from '#shared/ledger/publish.ts';
import { currentSigningKey } from '#shared/ledger/signing_keys.ts';
import type { Services } from '#shared/platform/services.ts';

/** Extends the tree of a log and signs it. A job that arrives twice, or while another is running, finds it done. */
export function createHandler(
  services: Services,
  stopping: AbortSignal,
): (tenant: Jobs['checkpoint']) => Promise<void> {
  void makeSigningKey(services, stopping);
  return async tenant => {
    await publishCheckpoint(services, tenant);
  };
}

/** Creates the public key early, so that it can be fetched before the first signature. If this fails, signing creates it. */
async function makeSigningKey(services: Services, stopping: AbortSignal): Promise<void> {
  try {
    const { kid } = await currentSigningKey(services);
    services.log.info({ kid }, 'key that signs checkpoints and packs');
  } catch (error) {
    if (!stopping.aborted) services.log.error({ error }, 'no key to sign checkpoints and packs with');
  }
}
