import { claimRateFetch, readRateSource } from '#shared/events/input/rate_sources.ts';
import { oncePer } from '#shared/platform/jobs.ts';
import type { JobKindOf } from '#shared/running/work/job_kind.ts';
import { timestamp } from '#shared/values/time.ts';

declare module '#shared/platform/jobs.ts' {
  interface Jobs {
    rate_fetch: { id: string };
  }
}

/** Exchange rates are to be fetched from where RATES says. */
export const rateFetch: JobKindOf<'rate_fetch'> = {
  process: 'screen',
  concurrency: 1,
  options: ({ id }) => oncePer(id),
  async overdue({ config, db, now }) {
    const ids = config.rates ? await claimRateFetch(db, config.rates.id, now()) : [];
    return ids.map(id => ({ id }));
  },
  async oldest({ db, config, now }) {
    if (!config.rates) return null;
    const { fetched_at } = await readRateSource(db, config.rates.id);
    const due = fetched_at === null ? null : Date.parse(fetched_at) + config.rates.every;
    return due === null || due > now() ? null : timestamp(due);
  },
};
