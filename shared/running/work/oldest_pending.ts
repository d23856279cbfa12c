import { oldestUnread } from '#shared/assessment/chain_lookups.ts';
import { oldestRecheck } from '#shared/events/ranges/rechecks.ts';
import type { Db } from '#shared/platform/db.ts';
import { oldestUnanalyzed } from '#shared/detection/consumer/behind.ts';
import type { JobKind } from '#shared/platform/jobs.ts';
import { unpublishedLogs } from '#shared/ledger/unpublished.ts';
import { oldestBacktest } from '#shared/detection/backtest/backtest_claims.ts';
import { oldestWaiting } from '#shared/packs/store/pack_claims.ts';
import { fetchStates } from '#shared/screening/store/list_sources.ts';
import { logsToScreen } from '#shared/screening/store/screening_claims.ts';
import { oldestPending } from '#shared/webhooks/webhook_claims.ts';
import type { Services } from '#shared/platform/services.ts';
import { SECOND, timestamp } from '#shared/values/time.ts';

type Asked = Pick<Services, 'config' | 'now'> & { db: Db };

/** Tells the metrics how long the oldest row of each kind has waited; what cannot be asked keeps what was last known. */
export async function measureOldest(services: Services): Promise<void> {
  const { metrics, log, now } = services;
  for (const kind of Object.keys(oldestOf) as JobKind[]) {
    try {
      metrics.oldestPending.set({ kind }, ageOf(await oldestOf[kind](services), now()));
    } catch (error) {
      log.debug({ error, kind }, 'oldest row not measured');
    }
  }
}

/** What has waited for less is on its way: nobody has to be told of it again. */
export const PATIENCE = 2 * SECOND;

/**
 * Since when the oldest row of each kind waits for work, or null when none does: asked of Postgres, which knows what is to be done, however
 * much of it the queue has lost. Each is one look at an index, or one for each log.
 */
export const oldestOf: Record<JobKind, (services: Asked) => Promise<string | null>> = {
  detect: ({ db }) => oldestUnanalyzed(db),
  recheck: ({ db }) => oldestRecheck(db),
  chain: ({ db }) => oldestUnread(db),
  backtest: ({ db }) => oldestBacktest(db),
  screen: async ({ db, now }) => earliest((await logsToScreen(db, now() - PATIENCE)).map(({ since }) => since)),
  list_fetch: async ({ db, config, now }) => {
    const fetched = await fetchStates(db, Object.keys(config.screening_lists));
    const due = fetched.map(({ name, fetched_at }) => {
      const every = config.screening_lists[name]?.every;
      return fetched_at === null || every === undefined ? null : timestamp(Date.parse(fetched_at) + every);
    });
    return earliest(due.filter(time => time !== null && Date.parse(time) <= now()));
  },
  checkpoint: async ({ db, now }) => earliest((await unpublishedLogs(db, now())).map(({ since }) => since)),
  pack: ({ db }) => oldestWaiting(db),
  webhook: ({ db }) => oldestPending(db),
};

/** How long something has waited, in seconds; 0 when nothing does. */
export const ageOf = (since: string | null, now: number): number =>
  since === null ? 0 : Math.max(0, now - Date.parse(since)) / SECOND;

/** The earliest of times in the form of every other time; null when there is none. */
function earliest(times: readonly (string | null)[]): string | null {
  return times.reduce((first, time) => (first === null || (time !== null && time < first) ? time : first), null);
}
