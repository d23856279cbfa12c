import { claimBacktests, letGoBacktest, oldestBacktest } from '#shared/detection/backtest/backtest_queue.ts';
import { oncePer } from '#shared/platform/jobs.ts';
import type { JobKindOf } from '#shared/running/work/job_kind.ts';

declare module '#shared/platform/jobs.ts' {
  interface Jobs {
    backtest: { org_id: string; environment: string; backtest_id: string };
  }
}

/** A detector is to be tried on the past. Overdue are back-tests that wait, or whose worker has fallen silent. */
export const backtest: JobKindOf<'backtest'> = {
  process: 'detect',
  concurrency: 1,
  options: ({ backtest_id }) => oncePer(backtest_id),
  overdue: ({ db, now }) => claimBacktests(db, now()),
  letGo: ({ db, now }, { backtest_id, ...tenant }) => letGoBacktest(db, tenant, backtest_id, now()),
  oldest: ({ db }) => oldestBacktest(db),
};
