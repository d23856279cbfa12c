import type { JobsOptions, KeepJobs } from 'bullmq';

/**
 * What a job of each kind carries: ids only. The work itself stands in Postgres; a job says "look now". Each kind adds its own payload where
 * it is said, in `shared/running/work/kinds`.
 */
export interface Jobs {}

export type JobKind = keyof Jobs;

/** What the queue has to know of a kind of job. */
export type QueueSettings<K extends JobKind = JobKind> = {
  /** How many jobs of this kind a process works off at once. */
  concurrency: number;
  /** BullMQ options of one job. */
  options: (data: Jobs[K]) => JobsOptions;
};

/** The settings of every kind: each has a queue of its own name. */
export type QueueSettingsOf = { readonly [K in JobKind]: QueueSettings<K> };

/** The process types of the Procfile that work off jobs. */
export const processTypes = ['detect', 'screen', 'pack', 'webhook'] as const;
export type ProcessType = (typeof processTypes)[number];

/**
 * How long operators can see a job that failed, and how many of a kind. Nothing waits for it: a deduplication id is free again when its job
 * has failed, and reconcile queues a new job for a row that is still to be done.
 */
export const KEPT_FAILED: KeepJobs = { age: 86_400, count: 1_000 };

const retention: JobsOptions = { removeOnComplete: true, removeOnFail: KEPT_FAILED };

/** A job that is not queued while one of the same id waits or runs. */
export const oncePer = (id: string): JobsOptions => ({ deduplication: { id }, ...retention });

/** One job waits and one runs for a log at most; what arrives meanwhile is covered by the one that waits. */
export const oncePerLog = ({ org_id, environment }: LogPayload): JobsOptions => ({
  deduplication: { id: `${org_id}.${environment}`, keepLastIfActive: true },
  ...retention,
});

/** The payload of a job about a whole log. */
export type LogPayload = { org_id: string; environment: string };
