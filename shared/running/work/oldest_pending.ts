import type { JobKind } from '#shared/platform/jobs.ts';
import type { Services } from '#shared/platform/services.ts';
import { jobKindNames, jobKinds } from '#shared/running/work/kinds/index.ts';
import { sampleOldest } from './samples.ts';
import { SECOND } from '#shared/values/time.ts';

/** Measures for the metrics and `/ops` how long the oldest row of each kind has waited; a kind that cannot be read keeps its last value. */
export async function measureOldest(services: Services): Promise<void> {
  const { db, metrics, log, now } = services;
  const ages = new Map<JobKind, number>();
  for (const kind of jobKindNames) {
    try {
      const age = ageOf(await jobKinds[kind].oldest(services), now());
      metrics.oldestPending.set({ kind }, age);
      ages.set(kind, age * SECOND);
    } catch (error) {
      log.debug({ error, kind }, 'oldest row not measured');
    }
  }
  await sampleOldest(db, ages, now()).catch((error: unknown) => log.debug({ error }, 'oldest rows not noted'));
}

/** How long something has waited, in seconds; 0 when nothing does. */
const ageOf = (since: string | null, now: number): number =>
  since === null ? 0 : Math.max(0, now - Date.parse(since)) / SECOND;
