import type { JobsOptions, KeepJobs, WorkerOptions } from 'bullmq';

/** What a job of each kind carries: ids only. The work itself stands in Postgres; a job says "look now". */
export type Jobs = {
  /** `again`: queued by reconcile, beside a job that may have been lost. */
  detect: { org_id: string; environment: string; again?: true };
  /** Something of the log is to be looked at again. */
  recheck: { org_id: string; environment: string };
  /** A chain is to be read for an event. */
  chain: { org_id: string; environment: string; chain_seq: number };
  webhook: { org_id: string; environment: string; delivery_id: string; generation: number; attempts_made: number };
  /** A detector is to be tried on the past. */
  backtest: { org_id: string; environment: string; backtest_id: string };
  /** Payees are to be screened; `again` as above. */
  screen: { org_id: string; environment: string; again?: true };
  /** A list is to be fetched from its publisher. */
  list_fetch: { name: string };
  /** A log has grown beyond its tree. */
  checkpoint: { org_id: string; environment: string };
  /** A pack is to be built. */
  pack: { org_id: string; environment: string; pack_id: string };
};

export type JobKind = keyof Jobs;

type JobSettings<K extends JobKind> = {
  /** BullMQ options of one job. */
  options: (data: Jobs[K]) => JobsOptions;
  worker: Pick<WorkerOptions, 'concurrency' | 'lockDuration' | 'stalledInterval' | 'maxStalledCount'>;
};

// A dead worker's jobs are taken over after lockDuration; a job may be taken over often, because rows decide what is left to do.
const takeOver = { lockDuration: 10_000, stalledInterval: 5_000, maxStalledCount: 100 };

/** Waits 0.5, 1, 2 and 4 s lie between the five attempts of a delivery. */
export const WEBHOOK_ATTEMPTS = 5;
export const WEBHOOK_FIRST_WAIT = 500;

/** A log that nobody analyses is told of again so often, not at every look of reconcile. */
const AGAIN_EVERY = 5_000;

/**
 * How long operators can see a job that failed, and how many of a kind. Nothing waits for it: a deduplication id is free again when its job
 * has failed, and reconcile queues a new job for a row that is still to be done.
 */
export const KEPT_FAILED: KeepJobs = { age: 86_400, count: 1_000 };

/** Every kind of job: each has a queue of its own name and is worked off by the process type that lists it. */
export const jobKinds: { [K in JobKind]: JobSettings<K> } = {
  detect: {
    // One job waits and one runs for a log at most; what arrives meanwhile is covered by the one that waits.
    options: ({ org_id, environment, again }) => ({
      deduplication: again
        ? { id: `again.${org_id}.${environment}`, ttl: AGAIN_EVERY }
        : { id: `${org_id}.${environment}`, keepLastIfActive: true },
      removeOnComplete: true,
      removeOnFail: KEPT_FAILED,
    }),
    worker: { concurrency: 4, ...takeOver },
  },
  recheck: {
    options: ({ org_id, environment }) => ({
      deduplication: { id: `${org_id}.${environment}`, keepLastIfActive: true },
      removeOnComplete: true,
      removeOnFail: KEPT_FAILED,
    }),
    worker: { concurrency: 2, ...takeOver },
  },
  chain: {
    options: ({ org_id, environment, chain_seq }) => ({
      deduplication: { id: `${org_id}.${environment}.${chain_seq}` },
      removeOnComplete: true,
      removeOnFail: KEPT_FAILED,
    }),
    worker: { concurrency: 20, ...takeOver },
  },
  webhook: {
    options: ({ delivery_id, generation, attempts_made }) => ({
      jobId: `${delivery_id}-${generation}`,
      attempts: WEBHOOK_ATTEMPTS - attempts_made,
      backoff: { type: 'exponential', delay: WEBHOOK_FIRST_WAIT * 2 ** attempts_made },
      removeOnComplete: true,
      // A job of that id which is kept would stand in the way of reconcile; the handler keeps those whose delivery has ended.
      removeOnFail: true,
    }),
    worker: { concurrency: 200, ...takeOver },
  },
  backtest: {
    options: ({ backtest_id }) => ({
      deduplication: { id: backtest_id },
      removeOnComplete: true,
      removeOnFail: KEPT_FAILED,
    }),
    worker: { concurrency: 1, ...takeOver },
  },
  screen: {
    options: ({ org_id, environment, again }) => ({
      deduplication: again
        ? { id: `again.${org_id}.${environment}`, ttl: AGAIN_EVERY }
        : { id: `${org_id}.${environment}`, keepLastIfActive: true },
      removeOnComplete: true,
      removeOnFail: KEPT_FAILED,
    }),
    worker: { concurrency: 2, ...takeOver },
  },
  list_fetch: {
    options: ({ name }) => ({ deduplication: { id: name }, removeOnComplete: true, removeOnFail: KEPT_FAILED }),
    worker: { concurrency: 1, ...takeOver },
  },
  checkpoint: {
    options: ({ org_id, environment }) => ({
      deduplication: { id: `${org_id}.${environment}`, keepLastIfActive: true },
      removeOnComplete: true,
      removeOnFail: KEPT_FAILED,
    }),
    worker: { concurrency: 2, ...takeOver },
  },
  pack: {
    options: ({ pack_id }) => ({ deduplication: { id: pack_id }, removeOnComplete: true, removeOnFail: KEPT_FAILED }),
    worker: { concurrency: 1, ...takeOver },
  },
};

/** The process types of the Procfile that work off jobs, and the kinds each of them takes. */
export const processTypes = {
  detect: ['detect', 'recheck', 'chain', 'backtest'],
  screen: ['screen', 'list_fetch'],
  pack: ['checkpoint', 'pack'],
  webhook: ['webhook'],
} as const satisfies Record<string, readonly JobKind[]>;

export type ProcessType = keyof typeof processTypes;
