import { writeDigests } from '#shared/people/notification_settings.ts';
import { claimReaders, letGoNotifications, oldestNotification } from '#shared/people/notifications.ts';
import { oncePer } from '#shared/platform/jobs.ts';
import type { JobKindOf } from '#shared/running/work/job_kind.ts';

declare module '#shared/platform/jobs.ts' {
  interface Jobs {
    notify: { org_id: string; environment: string; user_id: string };
  }
}

/** A member is to be mailed what has happened. Overdue is whatever waits: it is written by triggers, which cannot queue. Daily summaries that are due are written before. */
export const notify: JobKindOf<'notify'> = {
  process: 'webhook',
  concurrency: 2,
  options: ({ org_id, user_id }) => oncePer(`${org_id}.${user_id}`),
  async overdue({ db, now }) {
    await writeDigests(db, now());
    return claimReaders(db, now());
  },
  letGo: ({ db }, reader) => letGoNotifications(db, reader),
  oldest: ({ db }) => oldestNotification(db),
};
