import type { Services } from '#shared/platform/services.ts';
import { jobKindNames, jobKinds } from '#shared/running/work/kinds/index.ts';
import { SECOND } from '#shared/values/time.ts';

/** Tells the metrics how long the oldest row of each kind has waited; a kind that cannot be read keeps its last value. */
export async function measureOldest(services: Services): Promise<void> {
  const { metrics, log, now } = services;
  for (const kind of jobKindNames) {
    try {
      metrics.oldestPending.set({ kind }, ageOf(await jobKinds[kind].oldest(services), now()));
    } catch (error) {
      log.debug({ error, kind }, 'oldest row not measured');
    }
  }
}

/** How long something has waited, in seconds; 0 when nothing does. */
const ageOf = (since: string | null, now: number): number =>
  since === null ? 0 : Math.max(0, now - Date.parse(since)) / SECOND;
