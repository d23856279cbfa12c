import { z } from 'zod';
import { type Pool, sql } from '#shared/platform/db.ts';
import { FAILED, MOST_ATTEMPTS } from './backtest_queue.ts';
import type { BacktestFinding } from './backtests.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { SECOND, timestamp } from '#shared/values/time.ts';
import { moveVersions } from '#shared/interface/versions.ts';

/** A back-test claimed by a worker: `attempts` identifies the claim, `progress` is what an earlier worker reached. */
const Claimed = z.object({
  id: z.string(),
  detector: z.string(),
  from: z.string(),
  to: z.string(),
  params: z.record(z.string(), z.unknown()),
  by_parameters: z.boolean(),
  cooldown_s: z.number(),
  attempts: z.number(),
  progress: z.number(),
});
export type ClaimedBacktest = z.infer<typeof Claimed>;

export type BacktestProgress = {
  progress: number;
  events: number;
  findings: number;
  sample: readonly BacktestFinding[];
  truncated: boolean;
};

/** How long a worker may be silent before another restarts its back-test. */
const LEASE = 60 * SECOND;

/** Starts a waiting back-test; null when another worker has started it, or it is finished. */
export const beginBacktest = (db: Pool, tenant: Tenant, id: string, now: number): Promise<ClaimedBacktest | null> =>
  db.transaction(async tx => {
    const claimed = await tx.maybeOne(sql.type(Claimed)`
      update backtests set state = 'running', attempts = attempts + 1, started_at = ${timestamp(now)}, next_at = ${timestamp(now + LEASE)},
        error = null
      where ${here(tenant, id)} and state = 'queued'
      returning id, detector, from_at as "from", to_at as "to", params, by_parameters, cooldown_s, attempts, progress`);
    if (claimed) await moveVersions(tx, tenant, ['backtests']);
    return claimed;
  });

/**
 * Saves the progress. A restarted back-test begins anew: until it passes the earlier progress, people keep seeing that. False when another
 * worker has the back-test by now.
 */
export const saveProgress = (
  db: Pool,
  tenant: Tenant,
  held: ClaimedBacktest,
  progress: BacktestProgress,
  now: number,
) =>
  change(
    db,
    tenant,
    held,
    progress.progress < held.progress
      ? sql.fragment`next_at = ${timestamp(now + LEASE)}`
      : sql.fragment`next_at = ${timestamp(now + LEASE)}, ${columnsOf(progress)}`,
  );

/** Finishes the back-test. `error` says what it could not do although it finished. */
export const finishBacktest = (
  db: Pool,
  tenant: Tenant,
  held: ClaimedBacktest,
  progress: BacktestProgress,
  error: string | null,
  now: number,
) =>
  change(
    db,
    tenant,
    held,
    sql.fragment`state = 'done', error = ${error}, finished_at = ${timestamp(now)}, ${columnsOf({ ...progress, progress: 1 })}`,
  );

/** Returns the back-test because the worker stops: this does not count as an attempt. */
export const returnBacktest = (db: Pool, tenant: Tenant, held: ClaimedBacktest, now: number) =>
  change(db, tenant, held, sql.fragment`state = 'queued', attempts = attempts - 1, next_at = ${timestamp(now)}`);

/** Returns the back-test because it failed; after the third time it has failed for good. */
export const failBacktest = (db: Pool, tenant: Tenant, held: ClaimedBacktest, now: number) =>
  change(
    db,
    tenant,
    held,
    held.attempts < MOST_ATTEMPTS
      ? sql.fragment`state = 'queued', next_at = ${timestamp(now + RETRY_AFTER * held.attempts)}`
      : sql.fragment`state = 'failed', error = ${FAILED}, finished_at = ${timestamp(now)}`,
  );

const RETRY_AFTER = 5 * SECOND;

const here = ({ org_id, environment }: Tenant, id: string) =>
  sql.fragment`org_id = ${org_id} and environment = ${environment} and id = ${id}`;

const columnsOf = ({ progress, events, findings, sample, truncated }: BacktestProgress) =>
  sql.fragment`progress = ${progress}, events = ${events}, findings = ${findings}, sample = ${JSON.stringify(sample)}::jsonb,
    truncated = ${truncated}`;

async function change(
  db: Pool,
  tenant: Tenant,
  { id, attempts }: ClaimedBacktest,
  set: ReturnType<typeof sql.fragment>,
) {
  return db.transaction(async tx => {
    const { rowCount } = await tx.query(sql.unsafe`
      update backtests set ${set} where ${here(tenant, id)} and state = 'running' and attempts = ${attempts}`);
    if (rowCount > 0) await moveVersions(tx, tenant, ['backtests']);
    return rowCount > 0;
  });
}
