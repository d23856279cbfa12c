import { z } from 'zod';
import { sql } from '#shared/platform/db.ts';
import type { JobKind } from '#shared/platform/jobs.ts';
import { jobKindNames } from '#shared/running/work/kinds/index.ts';
import { unpublishedLogs } from '#shared/ledger/unpublished.ts';
import { retryAll } from '#shared/running/work/retry_failed.ts';
import { listPresent } from '#shared/running/worker_presence.ts';
import type { AdminCommand } from './command.ts';

const Pending = z.object({
  logs_behind: z.number(),
  events_behind: z.number(),
  rechecks_pending: z.number(),
  chain_lookups_pending: z.number(),
  deliveries_pending: z.number(),
  backtests_unfinished: z.number(),
  payees_to_screen: z.number(),
  rescreens_unfinished: z.number(),
});

export const queues: AdminCommand[] = [
  {
    name: 'queues status',
    summary: 'Show the jobs of each queue by state, the rows that wait for work, and the processes that are there',
    options: [],
    async run({ json }, { db, queue, now }) {
      const counts = await Promise.all(jobKindNames.map(async kind => [kind, await queue.counts(kind)] as const));
      const rows = await db.one(sql.type(Pending)`
        with behind as (
          select l.size - c.seq as events from event_logs l join detection_cursors c using (org_id, environment)
          where l.has_news and l.size > c.seq)
        select (select count(*) from behind) as logs_behind, (select coalesce(sum(events), 0)::bigint from behind) as events_behind,
          (select count(*) from rechecks) + (select count(*) from reevaluations) + (select count(*) from backfills where due_at <= now()) as rechecks_pending,
          (select count(*) from chain_lookups where state = 'pending') as chain_lookups_pending,
          (select count(*) from webhook_deliveries where state = 'pending') as deliveries_pending,
          (select count(*) from backtests where state in ('queued', 'running')) as backtests_unfinished,
          (select count(*) from payee_screenings where due_at is not null) as payees_to_screen,
          (select count(*) from screening_rescreens) as rescreens_unfinished`);
      const logs_unsigned = (await unpublishedLogs(db, now())).length;
      const workers = await listPresent(db);
      if (json) return { queues: Object.fromEntries(counts), rows, workers, logs_unsigned };
      const lines = counts.map(([kind, { waiting, active, delayed, failed }]) => [
        kind,
        `waiting ${waiting}, active ${active}, delayed ${delayed}, failed ${failed}`,
      ]);
      const there = workers.map(({ type, host, pid }) => `${type} (${host}, ${pid})`).join(', ') || 'none';
      return { ...Object.fromEntries(lines), ...rows, logs_unsigned, workers: there };
    },
  },
  {
    name: 'queues retry-failed',
    summary: 'Put the failed jobs of every queue in line again',
    options: [],
    async run(_given, services) {
      const retried: Partial<Record<JobKind, number>> = {};
      for (const kind of jobKindNames) retried[kind] = (await retryAll(services, kind, null)).retried;
      return { retried };
    },
  },
];
