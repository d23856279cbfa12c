import { asError } from '#shared/interface/errors.ts';
import { Abandoned } from '#shared/packs/build_failed.ts';
import type { Services } from '#shared/platform/services.ts';
import { SECOND } from '#shared/values/time.ts';

/** How often a worker records that it still holds what it builds, and its progress. */
const SAVE_EVERY = 2 * SECOND;

/**
 * Keeps the claim on a build alive while this worker is building, and aborts the build when the process stops or the claim is lost. `save`
 * records the progress, 0 to 1, and answers whether this worker still has it. Call `stop` when the build is over.
 */
export function keepHold(
  { log }: Pick<Services, 'log'>,
  stopping: AbortSignal,
  id: string,
  save: (progress: number) => Promise<boolean>,
) {
  let done = 0;
  let lost = false;
  let saving = Promise.resolve();
  const saveNow = async () => {
    try {
      lost = !(await save(done));
    } catch (error) {
      log.warn({ error: asError(error), id }, 'progress not noted; it is tried again');
    }
  };
  const timer = setInterval(() => (saving = saving.then(saveNow)), SAVE_EVERY);
  return {
    async onProgress(share: number) {
      done = Math.min(share, 0.99);
      if (stopping.aborted) throw new Abandoned('the worker stops');
      if (lost) throw new Abandoned('it is in other hands, or was removed');
    },
    async stop() {
      clearInterval(timer);
      await saving;
    },
  };
}
