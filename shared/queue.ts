import {
  type BackendFactory,
  type ConnectionOptions,
  createPostgresBackend,
  createRedisBackend,
  type Job,
  Queue as BullQueue,
  type RedisQueueBackend,
  Worker,
} from 'bullmq';
import { type JobKind, type Jobs, jobKinds } from '#shared/jobs.ts';
import type { Log } from '#shared/log.ts';

/** How to reach the queue's engine: BullMQ on Redis (or Valkey, Dragonfly) where a URL is given, else in the database. */
export type QueueEngine = { redis_url: string | undefined; database_url: string; database_role: string | undefined };

/** The producers' side: add says "look now" and never fails the caller, because `reconcile` finds what was not said. */
export type Queue = {
  add<K extends JobKind>(kind: K, jobs: Jobs[K][]): Promise<void>;
  /** Jobs of this kind by state, for metrics and the watchdog. Throws when the engine is away. */
  counts(kind: JobKind): Promise<Record<string, number>>;
  close(): Promise<void>;
};

/** Opens the queues. `onLost` hears of every add that the engine did not take. */
export function createQueue(
  engine: QueueEngine,
  log: Log,
  onLost: (kind: JobKind, jobs: number) => void = () => {},
): Queue {
  const queues = new Map<JobKind, BullQueue>();
  const backend = backendFactory(engine);
  const queueOf = (kind: JobKind) => {
    const known = queues.get(kind);
    if (known) return known;
    const queue = new BullQueue(kind, connectionOf(engine, 'producer'), backend);
    queue.on('error', error => log.debug({ error, queue: kind }, 'queue connection trouble'));
    queues.set(kind, queue);
    return queue;
  };
  return {
    async add(kind, jobs) {
      if (jobs.length === 0) return;
      try {
        const added = queueOf(kind).addBulk(
          jobs.map(data => ({ name: kind, data, opts: jobKinds[kind].options(data) })),
        );
        await withDeadline(added, ADD_DEADLINE);
      } catch (error) {
        onLost(kind, jobs.length);
        log.warn({ error, queue: kind, jobs: jobs.length }, 'jobs not queued; reconcile will find their rows');
      }
    },
    counts: kind => withDeadline(queueOf(kind).getJobCounts(), ADD_DEADLINE),
    async close() {
      await Promise.allSettled([...queues.values()].map(queue => withDeadline(queue.close(), CLOSE_DEADLINE)));
    },
  };
}

/** The consumers' side: works off one kind of job. A handler may run twice for one job. */
export function createWorker<K extends JobKind>(
  engine: QueueEngine,
  kind: K,
  handle: (data: Jobs[K], job: Job<Jobs[K]>) => Promise<void>,
  log: Log,
): Worker<Jobs[K]> {
  const options = { ...connectionOf(engine, 'consumer'), ...jobKinds[kind].worker };
  const worker = new Worker<Jobs[K]>(kind, job => handle(job.data, job), options, backendFactory(engine));
  worker.on('error', error => log.debug({ error, queue: kind }, 'worker connection trouble'));
  return worker;
}

const ADD_DEADLINE = 3_000;
const CLOSE_DEADLINE = 5_000;

// The two backends take different connections; which is which is decided here, by the engine, and nowhere else.
const backendFactory = (engine: QueueEngine) =>
  (engine.redis_url ? createRedisBackend : createPostgresBackend) as BackendFactory<RedisQueueBackend>;

/** The hash tag in the prefix keeps the keys of a queue in one slot of a Redis cluster. */
function connectionOf(engine: QueueEngine, side: 'producer' | 'consumer') {
  const connection = engine.redis_url ? redisOf(engine.redis_url, side) : postgresOf(engine);
  return {
    connection: connection as ConnectionOptions,
    prefix: '{oversight}',
    skipWaitingForReady: side === 'consumer',
  };
}

/** A producer gives up at once when Redis is away; a consumer waits for it to come back. */
const redisOf = (url: string, side: 'producer' | 'consumer') => ({
  url,
  maxRetriesPerRequest: side === 'producer' ? 1 : null,
  enableOfflineQueue: side === 'consumer',
  connectTimeout: 5_000,
  retryStrategy: (attempt: number) => Math.min(attempt * 100, 2_000),
});

function postgresOf({ database_url, database_role }: QueueEngine) {
  const url = new URL(database_url);
  // pg lets the URL's options replace the given ones, and BullMQ sets its schema through the given ones.
  const settings = [url.searchParams.get('options'), '-c timezone=UTC', database_role && `-c role=${database_role}`];
  url.searchParams.delete('options');
  return {
    connectionString: url.href,
    options: settings.filter(Boolean).join(' '),
    max: 4,
    application_name: 'oversight-queue',
  };
}

async function withDeadline<T>(work: Promise<T>, milliseconds: number): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`no answer from the queue within ${milliseconds} ms`)), milliseconds);
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
