import { createAssessor } from '#shared/assessment/assessor.ts';
import { progressOf, runBacktest, type BacktestState } from '#shared/detection/backtest/run.ts';
import { asError } from '#shared/interface/errors.ts';
import type { Jobs } from '#shared/platform/jobs.ts';
import {
  beginBacktest,
  type ClaimedBacktest,
  failBacktest,
  finishBacktest,
  returnBacktest,
  saveProgress,
} from '#shared/detection/backtest/backtest_claims.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import type { Services } from '#shared/platform/services.ts';
import { pause } from '#shared/platform/pause.ts';
import { SECOND } from '#shared/values/time.ts';
import { WorkFailed } from '#workers/failures.ts';

/** How often the progress of a back-test is saved. */
const SAVE_EVERY = 2 * SECOND;
const LONGEST_REST = SECOND;

/**
 * Runs a back-test until it is done or until `stopping`. After each part it pauses for as long as the part took, so that live detection
 * does not wait for it. A job that arrives twice, or for a back-test that another worker holds, does nothing. Throws `WorkFailed` when the
 * back-test failed; its row records why.
 */
export function createHandler(services: Services, stopping: AbortSignal) {
  const { db, log, now } = services;
  const assessor = createAssessor(services);
  return async ({ backtest_id, ...tenant }: Jobs['backtest']): Promise<void> => {
    const held = await beginBacktest(db, tenant, backtest_id, now());
    if (!held) return;
    const start = performance.now();
    try {
      const state = await run(held, tenant);
      if (!state) return;
      const { detector } = held;
      const ms = Math.round(performance.now() - start);
      log.info(
        { backtest_id, org_id: tenant.org_id, detector, events: state.events, findings: state.findings, ms },
        'back-test done',
      );
    } catch (error) {
      log.error(
        { error: asError(error), backtest_id, org_id: tenant.org_id, attempt: held.attempts },
        'back-test failed',
      );
      await failBacktest(db, tenant, held, now());
      throw new WorkFailed(`Attempt ${held.attempts}: ${asError(error).message}`);
    }
  };

  /** Null when it was not finished. */
  async function run(held: ClaimedBacktest, tenant: Tenant): Promise<BacktestState | null> {
    let last: BacktestState = { progress: 0, events: 0, findings: 0, best: [], failures: 0, truncated: false };
    let saved = now();
    let began = performance.now();
    for await (const state of runBacktest(db, tenant, held, { assessor, now: now() })) {
      last = state;
      if (stopping.aborted) {
        await returnBacktest(db, tenant, held, now());
        return null;
      }
      if (now() - saved >= SAVE_EVERY) {
        if (!(await saveProgress(db, tenant, held, await progressOf(db, tenant, state), now()))) return null;
        saved = now();
      }
      await pause(Math.min(performance.now() - began, LONGEST_REST));
      began = performance.now();
    }
    const finished = await finishBacktest(db, tenant, held, await progressOf(db, tenant, last), complaint(last), now());
    return finished ? last : null;
  }
}

const complaint = ({ failures }: BacktestState) =>
  failures === 0 ? null : `The detector could make nothing of ${failures} ${failures === 1 ? 'event' : 'events'}.`;
