import { isMainThread } from 'node:worker_threads';
import type { Pool } from './db.ts';
import {
  AggregatorRegistry,
  collectDefaultMetrics,
  Counter,
  Gauge,
  Histogram,
  type MetricObjectWithValues,
  type MetricValue,
  Registry,
} from 'prom-client';

const seconds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** The counts of a thread, to be added to those of its process. */
export type ThreadCounts = () => Promise<MetricObjectWithValues<MetricValue<string>>[]>;

/** The Prometheus metrics of one process. Names follow https://prometheus.io/docs/practices/naming/. */
export function createMetrics() {
  const registry = new Registry();
  // A thread's are those of its process.
  if (isMainThread) collectDefaultMetrics({ register: registry });
  const registers = [registry];
  const joined = new Set<ThreadCounts>();
  return {
    registry,
    /** Adds a thread's counts to `text`, until the returned function is called. */
    join(counted: ThreadCounts): () => void {
      joined.add(counted);
      return () => joined.delete(counted);
    },
    /** All metrics in the exposition format of Prometheus. */
    async text(): Promise<string> {
      if (joined.size === 0) return registry.metrics();
      const own = await registry.getMetricsAsJSON();
      const others = await Promise.all([...joined].map(counted => counted()));
      // A value that cannot be added up, such as the process's start, is the process's own.
      const aggregated = own.map(metric =>
        metric.aggregator === 'omit' ? { ...metric, aggregator: 'first' as const } : metric,
      );
      return AggregatorRegistry.aggregate([aggregated, ...others]).metrics();
    },
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
    sourceWebhooks: new Counter({
      name: 'source_webhooks_total',
      help: 'Webhooks of payment services by what became of them: read, ignored (not of a payment), unread, refused (not signed)',
      labelNames: ['outcome'],
      registers,
    }),
    requestsRefused: new Counter({
      name: 'requests_refused_total',
      help: 'Requests refused under pressure, by reason: analysis (events of a log that is too far ahead of it), disk (events), bodies, answers (that are not read), turns (an organization has too many that wait)',
      labelNames: ['reason'],
      registers,
    }),
    clockSkew: new Gauge({
      name: 'clock_skew_seconds',
      help: "By how much the clock of the machine is ahead of the database's",
      aggregator: 'first',
      registers,
    }),
    analysisWait: new Gauge({
      name: 'analysis_wait_seconds',
      help: 'How long the last event that this process took will wait for its analysis, in the log that is furthest behind',
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
      help: 'Time to analyze one range of the log',
      buckets: seconds,
      registers,
    }),
    alertsRaised: new Counter({
      name: 'alerts_raised_total',
      help: 'Alerts raised, by detector',
      labelNames: ['detector'],
      registers,
    }),
    behavioralAlerts: new Gauge({
      name: 'behavioral_alerts_30_days',
      help: 'Alerts on rare conduct of the last 30 days by state: open (or in work), resolved, dismissed; told by the schedule process',
      labelNames: ['state'],
      registers,
    }),
    budgetedAlerts: new Gauge({
      name: 'behavioral_alerts_budgeted_30_days',
      help: 'Such alerts that alert budgets allow: agent-months times budget, over all organizations; told by the schedule process',
      registers,
    }),
    agentMonths: new Gauge({
      name: 'agent_months_30_days',
      help: 'Months for which agents were watched in the last 30 days; told by the schedule process',
      registers,
    }),
    payeesScreened: new Counter({
      name: 'payees_screened_total',
      help: 'Payees screened, by result',
      labelNames: ['state'],
      registers,
    }),
    screeningDuration: new Histogram({
      name: 'screening_part_duration_seconds',
      help: 'Time to screen some payees and store the results',
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
    listFetchFailures: new Gauge({
      name: 'screening_list_fetch_failures',
      help: 'How often a configured list could not be fetched since it last was; told by the schedule process',
      labelNames: ['list'],
      registers,
    }),
    ratesAge: new Gauge({
      name: 'exchange_rates_age_seconds',
      help: 'Time since the exchange rates that RATES names were last fetched or found unchanged; told by the schedule process',
      registers,
    }),
    rateFetchFailures: new Gauge({
      name: 'exchange_rate_fetch_failures',
      help: 'How often they could not be fetched since they last were; told by the schedule process',
      registers,
    }),
    webhookAttempts: new Counter({
      name: 'webhook_attempts_total',
      help: 'Delivery attempts, by outcome and by class of the answer (2xx, 3xx, 4xx, 429, 5xx; none, blocked)',
      labelNames: ['outcome', 'answer'],
      registers,
    }),
    deliveriesEnded: new Counter({
      name: 'webhook_deliveries_ended_total',
      help: 'Deliveries that a webhook process saw end, by state: delivered, refused, failed after every attempt, canceled',
      labelNames: ['state'],
      registers,
    }),
    endpoints: new Gauge({
      name: 'webhook_endpoints',
      help: 'Webhook endpoints by state; told by the schedule process',
      labelNames: ['state'],
      registers,
    }),
    endpointsHeldBack: new Gauge({
      name: 'webhook_endpoints_held_back',
      help: 'Endpoints that a webhook process holds back: silent (their last attempt got no answer), turned_away (more is due than they have places)',
      labelNames: ['reason'],
      registers,
    }),
    jobDuration: new Histogram({
      name: 'job_duration_seconds',
      help: 'Time a job took, by kind and outcome: done, again (it asked to be run later), failed',
      labelNames: ['kind', 'outcome'],
      buckets: [...seconds, 30, 60, 300],
      registers,
    }),
    jobWait: new Histogram({
      name: 'job_wait_seconds',
      help: 'Time from when a job was queued, or was due, until a worker first took it',
      labelNames: ['kind'],
      buckets: [...seconds, 30, 60, 300],
      registers,
    }),
    workersPresent: new Gauge({
      name: 'workers_present',
      help: 'Processes that work off a kind of job; told by the schedule process',
      labelNames: ['kind'],
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
    backupAge: new Gauge({
      name: 'backup_age_seconds',
      help: 'Age of the last good backup of BACKUP_URL; where there is none, how long ago the first was due; told by the schedule process',
      registers,
    }),
    backupEvery: new Gauge({
      name: 'backup_interval_seconds',
      help: 'How often a backup is to be taken (BACKUP_EVERY); 0 where none is',
      registers,
    }),
    backupFailures: new Counter({ name: 'backup_failures_total', help: 'Scheduled backups that failed', registers }),
    packDuration: new Histogram({
      name: 'pack_build_duration_seconds',
      help: 'Time to build an evidence pack, a report or an export, by kind',
      labelNames: ['kind'],
      buckets: [0.5, 1, 2.5, 5, 10, 30, 60, 300],
      registers,
    }),
    packFailures: new Counter({
      name: 'pack_build_failures_total',
      help: 'Attempts to build a pack or an export that failed',
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
      help: 'Age of the oldest row that waits for work; told by the schedule process',
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

/** Measures a pool of at most `max` database connections whenever the metrics are read. */
export function measurePool({ registry }: Metrics, db: Pool, max: number): void {
  const pool = new Gauge({
    name: 'database_connections',
    help: 'Connections of the pool of this process, by state, and as `waiting` the queries that wait for one',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      const { acquiredConnections, idleConnections, waitingClients } = db.state();
      pool.set({ state: 'used' }, acquiredConnections);
      pool.set({ state: 'idle' }, idleConnections);
      pool.set({ state: 'waiting' }, waitingClients);
    },
  });
  new Gauge({
    name: 'database_connections_max',
    help: 'The most connections that the pool of this process may have',
    registers: [registry],
  }).set(max);
}

export type Metrics = ReturnType<typeof createMetrics>;
