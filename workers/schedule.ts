import { wakeSnoozed } from '#shared/casework/wake_snoozed.ts';
import { removeExpired } from '#shared/running/retention/run.ts';
import { prune } from '#shared/running/work/prune.ts';
import { restLogs } from '#shared/running/work/rest_logs.ts';
import { createScheduledBackups } from '#shared/backup/take_scheduled.ts';
import { createWitness } from '#shared/ledger/witness.ts';
import { sweepRecentSpend } from '#shared/detection/sweeps/recent_spend.ts';
import { sweep } from '#shared/detection/sweeps/sweep.ts';
import { measureOldest } from '#shared/running/work/oldest_pending.ts';
import { freeAbandoned, reconcile } from '#shared/running/work/reconcile.ts';
import { createResealing } from '#shared/running/secret_key/reseal.ts';
import { warnOf } from '#shared/platform/warn_of.ts';
import type { Services } from '#shared/platform/services.ts';
import { SECOND } from '#shared/values/time.ts';
import { announcePresence } from '#shared/running/worker_presence.ts';
import { measureBudgets } from './measure_budgets.ts';
import { countJobs, measureRows } from './measure_rows.ts';

const EVERY = SECOND;
/** Time between two looks for jobs of processes that have ended; the second look frees them. */
const FREE_EVERY = SECOND / 2;
/** Time between two sweeps. */
const SWEEP_EVERY = 5 * SECOND;
/** Time between two rounds of removing expired records. */
const EXPIRE_EVERY = SECOND;
/** Time between two checks whether a backup is due. */
const BACK_UP_EVERY = 10 * SECOND;
/** Reconcile runs between two measurements for the metrics: with many organizations, measuring costs more than a run. */
const COUNT_EVERY = 5;
/** Reconcile runs between two removals of expired rows, and of logs without news from the list of those that have any. */
const PRUNE_EVERY = 60;
/** Reconcile runs between two measurements of alert budgets, which add up 30 days of every log. */
const BUDGETS_EVERY = 900;

/**
 * Runs `reconcile`, the sweeps, the witness, backups, the ends of snoozes and the removal of expired records on separate timers, because the sweeps may wait for
 * detection, the witness for its answers, and a backup takes long. They are timers, not jobs, because emptying the queue would remove a
 * job. Any number of processes may run them: rows are claimed, and a job that is queued twice finds its work done.
 */
export function startSchedule(services: Services): { stop(): Promise<void> } {
  const { log } = services;
  const stopping = new AbortController();
  /** Repeats what may fail: it is tried again. */
  const keep = (wait: number, failure: string, work: () => Promise<void>) =>
    repeat(wait, () => work().catch((error: unknown) => warnOf(log, error, failure)));
  let look = 0;
  const looking = repeat(EVERY, async () => {
    await reconcile(services);
    if (look % COUNT_EVERY === 0) {
      await countJobs(services);
      await measureOldest(services);
      await measureRows(services);
    }
    if (look % PRUNE_EVERY === 0) {
      await prune(services);
      await restLogs(services);
    }
    if (look % BUDGETS_EVERY === 0) await measureBudgets(services);
    look += 1;
  });
  const freeing = keep(FREE_EVERY, 'jobs of ended processes not looked for', async () => {
    const jobs = await freeAbandoned(services);
    if (jobs > 0) log.info({ jobs }, 'jobs of a process that has ended are freed');
  });
  const sweeps = keep(SWEEP_EVERY, 'sweep failed', async () => {
    await sweep(services, stopping.signal);
    await sweepRecentSpend(services, stopping.signal);
  });
  const presence = announcePresence(services, ['schedule']);
  const resealing = keep(EVERY, 'secrets not sealed anew', createResealing(services));
  const witness = createWitness(services);
  const telling = keep(EVERY, 'checkpoint witness not told', () => witness.tell(stopping.signal));
  const expiring = keep(EXPIRE_EVERY, 'expired records not removed', () => removeExpired(services, stopping.signal));
  const waking = keep(EVERY, 'snoozes not ended', () => wakeSnoozed(services.db));
  const backups = createScheduledBackups(services);
  const backingUp = keep(BACK_UP_EVERY, 'backups not looked after', () => backups.look(stopping.signal));
  return {
    async stop() {
      stopping.abort();
      const timers = [looking, freeing, sweeps, telling, resealing, expiring, waking, backingUp, presence];
      await Promise.all(timers.map(timer => timer.stop()));
    },
  };
}

/** Repeats `work`, waiting `wait` milliseconds before the first run and after each. */
function repeat(wait: number, work: () => Promise<void>): { stop(): Promise<void> } {
  let running = Promise.resolve();
  let stopped = false;
  const next = async () => {
    await work();
    if (!stopped) timer = setTimeout(start, wait);
  };
  const start = () => (running = next());
  let timer = setTimeout(start, wait);
  return {
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
