import { oncePer } from '#shared/platform/jobs.ts';
import { earliest, type JobKindOf } from '#shared/running/work/job_kind.ts';
import { claimListFetches, fetchStates } from '#shared/screening/store/list_sources.ts';
import { timestamp } from '#shared/values/time.ts';

declare module '#shared/platform/jobs.ts' {
  interface Jobs {
    list_fetch: { name: string };
  }
}

/** A list is to be fetched from its publisher. */
export const listFetch: JobKindOf<'list_fetch'> = {
  process: 'screen',
  concurrency: 1,
  options: ({ name }) => oncePer(name),
  async overdue({ config, db, now }) {
    const names = await claimListFetches(db, Object.keys(config.screening_lists), now());
    return names.map(name => ({ name }));
  },
  async oldest({ db, config, now }) {
    const fetched = await fetchStates(db, Object.keys(config.screening_lists));
    const due = fetched.map(({ name, fetched_at }) => {
      const every = config.screening_lists[name]?.every;
      return fetched_at === null || every === undefined ? null : timestamp(Date.parse(fetched_at) + every);
    });
    return earliest(due.filter(time => time !== null && Date.parse(time) <= now()));
  },
};
