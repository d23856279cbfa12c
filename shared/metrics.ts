import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

const seconds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** The Prometheus metrics of one process. Names follow https://prometheus.io/docs/practices/naming/. */
export function createMetrics() {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  return {
    registry,
    httpDuration: new Histogram({
      name: 'http_request_duration_seconds',
      help: 'Time to answer, by route template',
      labelNames: ['method', 'route', 'status'],
      buckets: seconds,
      registers,
    }),
    eventsIngested: new Counter({
      name: 'events_ingested_total',
      help: 'Events by what became of them',
      labelNames: ['status'],
      registers,
    }),
    eventsAnalyzed: new Counter({
      name: 'events_analyzed_total',
      help: 'Events that detection has been through',
      registers,
    }),
    detectionFailures: new Counter({
      name: 'detection_failures_total',
      help: 'Events whose analysis failed and was recorded as such',
      labelNames: ['detector'],
      registers,
    }),
    detectionDuration: new Histogram({
      name: 'detection_range_duration_seconds',
      help: 'Time to analyse one range of the log',
      buckets: seconds,
      registers,
    }),
    alertsRaised: new Counter({
      name: 'alerts_raised_total',
      help: 'Alerts raised, by detector',
      labelNames: ['detector'],
      registers,
    }),
    payeesScreened: new Counter({
      name: 'payees_screened_total',
      help: 'Payees that were screened, by what came of it',
      labelNames: ['state'],
      registers,
    }),
    screeningDuration: new Histogram({
      name: 'screening_part_duration_seconds',
      help: 'Time to screen some payees and write what came of it',
      buckets: seconds,
      registers,
    }),
    listAge: new Gauge({
      name: 'screening_list_age_seconds',
      help: 'Time since a list of everybody was last loaded or found unchanged; told by the schedule process',
      labelNames: ['list'],
      registers,
    }),
    listEntries: new Gauge({
      name: 'screening_list_entries',
      help: 'Entries of a list of everybody; told by the schedule process',
      labelNames: ['list'],
      registers,
    }),
    webhookAttempts: new Counter({
      name: 'webhook_attempts_total',
      help: 'Delivery attempts, by outcome',
      labelNames: ['outcome'],
      registers,
    }),
    logFaults: new Counter({
      name: 'log_faults_total',
      help: 'Times a log was not signed because it is not the log that was signed before',
      registers,
    }),
    witnessBehind: new Gauge({
      name: 'log_witness_behind_seconds',
      help: 'Age of the oldest checkpoint that the witness was not told of; told by the schedule process',
      registers,
    }),
    packDuration: new Histogram({
      name: 'pack_build_duration_seconds',
      help: 'Time to build an evidence pack or report, by kind',
      labelNames: ['kind'],
      buckets: [0.5, 1, 2.5, 5, 10, 30, 60, 300],
      registers,
    }),
    packFailures: new Counter({
      name: 'pack_build_failures_total',
      help: 'Attempts to build a pack that failed',
      labelNames: ['kind'],
      registers,
    }),
    jobsLost: new Counter({
      name: 'jobs_not_queued_total',
      help: 'Jobs the queue did not take; reconcile makes up for them',
      labelNames: ['kind'],
      registers,
    }),
    reconciled: new Counter({
      name: 'reconciled_total',
      help: 'Overdue rows that were queued again',
      labelNames: ['kind'],
      registers,
    }),
    oldestPending: new Gauge({
      name: 'oldest_pending_seconds',
      help: 'Age of the oldest row that waits for work',
      labelNames: ['kind'],
      registers,
    }),
    queueJobs: new Gauge({
      name: 'queue_jobs',
      help: 'Jobs in the queue by state; told by the schedule process',
      labelNames: ['queue', 'state'],
      registers,
    }),
  };
}

export type Metrics = ReturnType<typeof createMetrics>;
