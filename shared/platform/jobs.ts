import type { JobsOptions, KeepJobs } from 'bullmq';

/**
 * The payload of a job of each kind: ids only. The work itself is in Postgres; a job says "look now". Each kind declares its own payload in
 * `shared/running/work/kinds`.
 */
export interface Jobs {}

export type JobKind = keyof Jobs;

/** What the queue needs to know about a kind of job. */
export type QueueSettings<K extends JobKind = JobKind> = {
  /** How many jobs of this kind a process works on at once. */
  concurrency: number;
  /** BullMQ options of one job. */
  options: (data: Jobs[K]) => JobsOptions;
};

/** The settings of every kind: each has a queue of its own name. */
export type QueueSettingsOf = { readonly [K in JobKind]: QueueSettings<K> };

/** The process types of the Procfile that work on jobs. */
export const processTypes = ['detect', 'screen', 'pack', 'webhook'] as const;
export type ProcessType = (typeof processTypes)[number];

/**
 * How long operators can see a failed job, and how many per kind. Nothing waits for it: a deduplication id is free again when its job has
 * failed, and reconcile queues a new job for a row that is still to be done.
 */
export const KEPT_FAILED: KeepJobs = { age: 86_400, count: 1_000 };

const retention: JobsOptions = { removeOnComplete: true, removeOnFail: KEPT_FAILED };

/** A job that is not queued while one of the same id waits or runs. */
export const oncePer = (id: string): JobsOptions => ({ deduplication: { id }, ...retention });

/** At most one job waits and one runs per log; the waiting one covers whatever arrives meanwhile. */
export const oncePerLog = ({ org_id, environment }: LogPayload): JobsOptions => ({
  deduplication: { id: `${org_id}.${environment}`, keepLastIfActive: true },
  ...retention,
});

/** The payload of a job about a whole log. */
export type LogPayload = { org_id: string; environment: string };
