import { claimRepricings, oldestRepricing, requestRepricings } from '#shared/events/ranges/repricings.ts';
import { oncePerLog } from '#shared/platform/jobs.ts';
import { reevaluateUnrated } from '#shared/reassessment/rate_arrivals.ts';
import type { JobKindOf } from '#shared/running/work/job_kind.ts';

declare module '#shared/platform/jobs.ts' {
  interface Jobs {
    reprice: { org_id: string; environment: string };
  }
}

/** Events of a log that have no price are to get one, because there is a rate now. */
export const reprice: JobKindOf<'reprice'> = {
  process: 'detect',
  concurrency: 2,
  options: oncePerLog,
  async overdue({ db, log, now }) {
    if (await requestRepricings(db, now()))
      await reevaluateUnrated(db, now()).catch((error: unknown) => log.warn({ error }, 'mandates not asked for anew'));
    return claimRepricings(db, now());
  },
  oldest: ({ db }) => oldestRepricing(db),
};
