import {
  type BackendFactory,
  type ConnectionOptions,
  createIORedisClient,
  createPostgresBackend,
  createRedisBackend,
  type Job,
  type JobType,
  Queue as BullQueue,
  RedisConnection,
  type RedisQueueBackend,
  Worker,
} from 'bullmq';
import type { RedisOptions } from 'ioredis';
import { Late, withDeadline } from './deadline.ts';
import type { JobKind, Jobs, QueueSettingsOf } from './jobs.ts';
import type { Logger } from './log.ts';
import { type LetGo, openPostgresQueue } from './postgres_queue.ts';
import { Away, createOutage, type Outage } from './outage.ts';
import { openRedis, watchRedis } from './redis.ts';
import type { Tracing } from './tracing.ts';

/** How to reach the queue's engine: BullMQ on Redis (or Valkey) if a URL is given, otherwise in the database. */
export type QueueEngine = { redis_url: string | undefined; database_url: string; database_role: string | undefined };

/** A job that failed; `failed_at` in milliseconds since 1970. */
export type FailedJob<K extends JobKind = JobKind> = {
  id: string;
  data: Jobs[K];
  error: string;
  failed_at: number;
};

export type Queue = {
  /** The producers' side: says "look now", and never fails the caller, because `reconcile` finds lost jobs. */
  add<K extends JobKind>(kind: K, jobs: Jobs[K][]): Promise<void>;
  /** Jobs of this kind by state, for metrics and the watchdog; whatever its priority, a job waits. Throws when the engine is away. */
  counts(kind: JobKind): Promise<Record<string, number>>;
  /** Whether jobs of this kind are paused. Throws when the engine is away. */
  isPaused(kind: JobKind): Promise<boolean>;
  /** Pauses or resumes jobs of this kind in every process. Throws when the engine is away. */
  setPaused(kind: JobKind, paused: boolean): Promise<void>;
  /** The newest failed jobs of this kind, with their payloads and errors. Throws when the engine is away. */
  failed<K extends JobKind>(kind: K, limit: number): Promise<FailedJob<K>[]>;
  /** One failed job; null when there is none with this id. Throws when the engine is away. */
  failedJob<K extends JobKind>(kind: K, id: string): Promise<FailedJob<K> | null>;
  /** The ids of jobs in these states, at most `limit`. Throws when the engine is away. */
  ids(kind: JobKind, states: readonly JobType[], limit: number): Promise<string[]>;
  /** Queues failed jobs of this kind again: this one, or all. Throws when the engine is away. */
  retryFailed(kind: JobKind, id?: string): Promise<void>;
  /** Removes a failed job whose work was restarted in another way. Throws when the engine is away. */
  forgetFailed(kind: JobKind, id: string): Promise<void>;
  /**
   * The consumers' side: works off jobs of this kind, `concurrency` at once, until the worker is closed. A handler may run twice for one job.
   */
  work<K extends JobKind>(
    kind: K,
    handle: (data: Jobs[K], job: Job<Jobs[K]>) => Promise<void>,
    concurrency?: number,
  ): Worker<Jobs[K]>;
  /**
   * Lets jobs be queued whose place is taken by one that counts as running and is not: that of a process that died. `isDead` is asked of
   * each job that counts as running. Throws when the engine is away.
   */
  releaseDead<K extends JobKind>(kind: K, isDead: (data: Jobs[K]) => Promise<boolean>): Promise<void>;
  /**
   * Lets others take jobs whose process has ended, without waiting for their locks to run out; before, `letGo` is told of each, with the name under
   * which the process took it. A process must be gone at two calls in a row: one whose connections were cut may be opening others. Returns
   * how many jobs were freed. Redis does not tell that a process has ended: there, locks run out. Throws when the engine is away.
   */
  freeAbandoned(letGo: LetGo): Promise<number>;
  /** How Redis fares where it is the engine, for all of the process that use it. */
  redis: Outage;
  /** The queue itself, for bull-board. */
  board(kind: JobKind): BullQueue;
  /** Closes the connections. Close workers first. */
  close(): Promise<void>;
};

/**
 * Opens the queues of these kinds of jobs. In the database, all of a process share their connections. `onLost` hears of every add that the engine
 * did not take. With `telemetry`, a trace goes on from whoever adds a job to whoever works it off.
 */
export function createQueue(
  engine: QueueEngine,
  kinds: QueueSettingsOf,
  log: Logger,
  onLost: (kind: JobKind, jobs: number) => void = () => {},
  telemetry?: Tracing['telemetry'],
): Queue {
  const queues = new Map<JobKind, BullQueue>();
  const redis = createOutage(log, 'Redis (REDIS_URL)');
  const { backend, optionsOf, addListener, freeAbandoned, close } = open(engine, redis, log);
  /** What the engine answers; throws Away where Redis is known not to. */
  const ask = async <T>(work: Promise<T>, deadline = ADD_DEADLINE): Promise<T> => {
    try {
      const answer = await withDeadline(work, deadline);
      redis.end(ask);
      return answer;
    } catch (error) {
      // Where nothing else is known of it, Redis is silent.
      if (engine.redis_url && error instanceof Late && redis.tell() === null) redis.note(ask, error);
      const trouble = redis.tell();
      throw trouble === null ? error : new Away(trouble, { cause: error });
    }
  };
  const queueOf = (kind: JobKind) => {
    const existing = queues.get(kind);
    if (existing) return existing;
    const queue = new BullQueue(kind, { ...optionsOf('producer'), telemetry }, backend);
    queue.on('error', error => log.debug({ error, queue: kind }, 'queue connection trouble'));
    queues.set(kind, queue);
    return queue;
  };
  const findFailed = async (kind: JobKind, id: string): Promise<Job | null> => {
    const job: Job | undefined = await queueOf(kind).getJob(id);
    return job && (await job.isFailed()) ? job : null;
  };
  return {
    async add(kind, jobs) {
      if (jobs.length === 0) return;
      try {
        const added = queueOf(kind).addBulk(jobs.map(data => ({ name: kind, data, opts: kinds[kind].options(data) })));
        await ask(added);
      } catch (error) {
        onLost(kind, jobs.length);
        const level = error instanceof Away ? 'debug' : 'warn';
        log[level]({ error, queue: kind, jobs: jobs.length }, 'jobs not queued; reconcile will find their rows');
      }
    },
    async counts(kind) {
      const { prioritized = 0, waiting = 0, ...counts } = await ask(queueOf(kind).getJobCounts());
      return { ...counts, waiting: waiting + prioritized };
    },
    isPaused: kind => ask(queueOf(kind).isPaused()),
    setPaused: (kind, paused) => ask(paused ? queueOf(kind).pause() : queueOf(kind).resume()),
    async failed(kind, limit) {
      const jobs = await ask(queueOf(kind).getFailed(0, limit - 1));
      return jobs.filter(job => Boolean(job)).map(job => describeFailed(job));
    },
    async failedJob(kind, id) {
      const job = await ask(findFailed(kind, id));
      return job && describeFailed(job);
    },
    ids: (kind, states, limit) => ask(queueOf(kind).getRanges([...states], 0, limit - 1)),
    async retryFailed(kind, id) {
      if (id === undefined) await ask(queueOf(kind).retryJobs({ state: 'failed' }), RETRY_DEADLINE);
      else await ask(findFailed(kind, id).then(job => job?.retry('failed')));
    },
    async forgetFailed(kind, id) {
      await ask(findFailed(kind, id).then(job => job?.remove()));
    },
    work(kind, handle, concurrency = 1) {
      const options = { ...optionsOf('consumer'), ...takeOver, concurrency, autorun: false, telemetry };
      const removeListener = addListener();
      const worker = new Worker(kind, job => handle(job.data, job), options, backend);
      worker.on('closed', removeListener);
      const onError = (error: Error) => log.debug({ error, queue: kind }, 'worker connection trouble');
      worker.on('error', onError);
      // Without a connection it would retry again and again, without a pause.
      void begin(worker, engine).catch(onError);
      worker.on('failed', (job, error) => {
        if (!expectedFailures.has(error.name)) log.error({ error, queue: kind, job_id: job?.id }, 'job failed');
      });
      return worker;
    },
    async releaseDead(kind, isDead) {
      const running = await ask(queueOf(kind).getActive(0, MOST_RUNNING - 1));
      for (const job of running.filter(each => Boolean(each)))
        if (await isDead(job.data)) await ask(job.removeDeduplicationKey());
    },
    freeAbandoned,
    redis,
    board: queueOf,
    async close() {
      await Promise.allSettled([...queues.values()].map(queue => withDeadline(queue.close(), CLOSE_DEADLINE)));
      await withDeadline(close(), CLOSE_DEADLINE).catch(() => {});
    },
  };
}

const describeFailed = ({ id = '', data, failedReason, finishedOn }: Job) => ({
  id,
  data,
  error: failedReason,
  failed_at: finishedOn ?? 0,
});

// A dead worker's jobs are taken over after lockDuration; a job may be taken over often, because rows decide what is left to do.
// When the engine takes no connections, a worker asks again after a second, not BullMQ's fifteen.
const takeOver = { lockDuration: 10_000, stalledInterval: 5_000, maxStalledCount: 100, runRetryDelay: 1_000 };

/** Failures by which a handler asks for another attempt, and those that it has recorded itself. */
const expectedFailures = new Set(['AttemptFailed', 'WorkFailed']);

/** Running jobs checked in one go, including those of dead processes. */
const MOST_RUNNING = 1_000;
const ADD_DEADLINE = 3_000;
const RETRY_DEADLINE = 60_000;
const CLOSE_DEADLINE = 5_000;

/**
 * A worker on Redis waits for its connection itself. Closed before it is ready, one on PostgreSQL would take the connection that it listens on afterwards, and
 * never give it back: its `close` waits for that, unless the database does not answer.
 */
async function begin(worker: Worker, { redis_url }: QueueEngine): Promise<void> {
  const ready = worker.waitUntilReady();
  let isClosing = false;
  if (!redis_url) {
    const close = worker.close.bind(worker);
    worker.close = async force => {
      isClosing = true;
      await withDeadline(ready, READY_DEADLINE).catch(() => {});
      return close(force);
    };
  }
  await ready;
  if (!isClosing && !worker.closing) await worker.run();
}
/** A little longer than it takes at most to connect. */
const READY_DEADLINE = 3_500;

// BullMQ adds a host and a port of its own, which the URL has.
RedisConnection.clientFactory = given => {
  const { url, outage, host: _host, port: _port, ...options } = given as RedisAt;
  return createIORedisClient(watchRedis(openRedis(url, options), outage));
};
type RedisAt = RedisOptions & { url: string; outage: Outage };

// The two backends take different connections; only this function decides between them.
function open({ redis_url, ...place }: QueueEngine, outage: Outage, log: Logger) {
  const postgres = redis_url ? null : openPostgresQueue(place, log);
  const optionsOf = (side: 'producer' | 'consumer') => ({
    connection: (redis_url ? { ...redisOptions(side), url: redis_url, outage } : postgres?.[side]) as ConnectionOptions,
    // The hash tag keeps a queue's keys in one slot of a Redis cluster.
    prefix: '{oversight}',
    skipWaitingForReady: side === 'consumer',
    ...(postgres && side === 'consumer' && { name: postgres.worker }),
  });
  const backend = (redis_url ? createRedisBackend : createPostgresBackend) as BackendFactory<RedisQueueBackend>;
  return {
    backend,
    optionsOf,
    addListener: () => postgres?.addListener() ?? (() => {}),
    freeAbandoned: async (letGo: LetGo) => (await postgres?.freeAbandoned(letGo)) ?? 0,
    close: async () => void (await postgres?.close()),
  };
}

/** A producer gives up at once when Redis is away; a consumer waits for it to come back. */
const redisOptions = (side: 'producer' | 'consumer') => ({
  maxRetriesPerRequest: side === 'producer' ? 1 : null,
  enableOfflineQueue: side === 'consumer',
  connectTimeout: 5_000,
  retryStrategy: (attempt: number) => Math.min(attempt * 100, 2_000),
});
