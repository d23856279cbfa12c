import { randomBytes } from 'node:crypto';
import pg from 'pg';
import type { JobKind, Jobs } from './jobs.ts';
import type { Logger } from './log.ts';
import { pause } from './pause.ts';

/** Where the queue is, and as whom to go there. */
type Place = { database_url: string; database_role: string | undefined };

const RETRY_DEADLINE = 60_000;
const QUERY_DEADLINE = 15_000;
/** How long a process whose connections were cut waits before it tries to open another again, in milliseconds. */
const AGAIN = 100;
const MOST_FREED = 1_000;
/**
 * Connections for the queries of all queues of a process, and as many for those of all its workers, each of which has one more to listen
 * on.
 */
const FOR_QUERIES = 4;

/**
 * Opens the connections of a process to the queue in PostgreSQL. Producers never wait for consumers. `worker` is the name by which it takes jobs: as
 * long as it lives its connections hold a lock of that name, which PostgreSQL drops when they end.
 */
export function openPostgresQueue(place: Place, log: Logger) {
  const worker = String(randomBytes(8).readBigInt64BE());
  const producer = openPool(place, log, RETRY_DEADLINE);
  const consumer = openPool(place, log, QUERY_DEADLINE, client =>
    client.query('select pg_advisory_lock_shared($1)', [worker]),
  );
  let isReopening = false;
  consumer.on('remove', async () => {
    if (consumer.totalCount > 0 || isReopening) return;
    isReopening = true;
    while (!consumer.ending && !(await reopen(consumer))) await pause(AGAIN);
    isReopening = false;
  });
  let seen_gone: readonly string[] = [];
  return {
    worker,
    producer,
    consumer,
    /** Adds room for a worker's listening connection, until the returned function is called. */
    addListener() {
      consumer.options.max += 1;
      return () => {
        consumer.options.max -= 1;
      };
    },
    /** Lets others take the jobs of workers that are gone, and were gone at the look before. */
    async freeAbandoned(letGo: LetGo): Promise<number> {
      const gone = await goneWorkers(producer);
      const before = new Set(seen_gone);
      seen_gone = gone;
      const jobs = await jobsOf(
        producer,
        gone.filter(name => before.has(name)),
      );
      for (const { queue, data, processed_by } of jobs) await letGo(queue, data, processed_by);
      return free(producer, jobs);
    },
    close: () => Promise.all([producer.end(), consumer.end()]),
  };
}

/** What has to be done before the job of a process that has ended is free. */
export type LetGo = <K extends JobKind>(kind: K, data: Jobs[K], worker: string) => Promise<void>;

type TakenJob = { queue: JobKind; id: string; data: Jobs[JobKind]; lock_token: string; processed_by: string };

const reopen = (pool: pg.Pool): Promise<boolean> =>
  pool.connect().then(
    client => {
      client.release();
      return true;
    },
    () => false,
  );

/** Workers that have jobs, and of whose connections none is left. */
async function goneWorkers(pool: pg.Pool): Promise<string[]> {
  const { rows } = await pool.query<{ worker: string }>(`
    with workers as materialized (
      select distinct processed_by as worker from job where state = 'active' and processed_by is not null)
    select worker from workers where pg_try_advisory_xact_lock(worker::bigint)`);
  return rows.map(({ worker }) => worker);
}

async function jobsOf(pool: pg.Pool, workers: readonly string[]): Promise<TakenJob[]> {
  if (workers.length === 0) return [];
  const { rows } = await pool.query<TakenJob>(
    `select queue, id, data, lock_token, processed_by from job where state = 'active' and processed_by = any ($1) limit ${MOST_FREED}`,
    [workers],
  );
  return rows;
}

/** A job that was taken by another meanwhile, when its lock ran out, has another token. */
async function free(pool: pg.Pool, jobs: readonly TakenJob[]): Promise<number> {
  if (jobs.length === 0) return 0;
  const { rowCount } = await pool.query(
    `with taken as materialized (
      select j.queue, j.id, j.lock_token from unnest($1::text[], $2::text[], $3::text[]) as t (queue, id, token)
      join job j on j.queue = t.queue and j.id = t.id and j.lock_token = t.token
      where j.state = 'active' for update of j skip locked)
    select from taken where move_active_to_wait(queue, id, lock_token, $4) >= 0`,
    [jobs.map(({ queue }) => queue), jobs.map(({ id }) => id), jobs.map(({ lock_token }) => lock_token), Date.now()],
  );
  return rowCount ?? 0;
}

/** A pool of our own: BullMQ's has no error listener on clients in use, and a lost one would end the process. */
function openPool(
  { database_url, database_role }: Place,
  log: Logger,
  query_timeout: number,
  onConnect?: (client: pg.ClientBase) => Promise<unknown>,
): pg.Pool {
  const url = new URL(database_url);
  // pg lets the URL's options replace those of the settings.
  const url_options = url.searchParams.get('options');
  url.searchParams.delete('options');
  const settings = [
    url_options,
    '-c timezone=UTC',
    database_role && `-c role=${database_role}`,
    '-c search_path=bullmq',
  ];
  const pool = new pg.Pool({
    connectionString: url.href,
    options: settings.filter(Boolean).join(' '),
    max: FOR_QUERIES,
    idleTimeoutMillis: 60_000,
    // A connection dropped silently must not block the others.
    query_timeout,
    keepAlive: true,
    application_name: 'oversight-queue',
    ...(onConnect && { onConnect }),
  });
  const onError = (error: Error) => log.debug({ error }, 'queue connection lost');
  // Every queue adds a listener to the same pool, as we do: more than the ten from which Node warns of a leak.
  pool.setMaxListeners(0);
  pool.on('error', onError);
  pool.on('connect', client => client.on('error', onError));
  return pool;
}
