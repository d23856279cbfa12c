import type { Jobs } from '#shared/platform/jobs.ts';
import { publishCheckpoint } from '#shared/ledger/publish.ts';
import { currentSigningKey } from '#shared/ledger/signing_keys.ts';
import type { Services } from '#shared/platform/services.ts';

/** Lets the tree of a log grow and signs it. A job that comes twice, or while another is at it, finds it done. */
export function createHandler(
  services: Services,
  stopping: AbortSignal,
): (tenant: Jobs['checkpoint']) => Promise<void> {
  void makeSigningKey(services, stopping);
  return async tenant => {
    await publishCheckpoint(services, tenant);
  };
}

/** Creates the public key early, so that it can be read before the first signature. Signing creates it too if this fails. */
async function makeSigningKey(services: Services, stopping: AbortSignal): Promise<void> {
  try {
    const { kid } = await currentSigningKey(services);
    services.log.info({ kid }, 'key that signs checkpoints and packs');
  } catch (error) {
    if (!stopping.aborted) services.log.error({ error }, 'no key to sign checkpoints and packs with');
  }
}
