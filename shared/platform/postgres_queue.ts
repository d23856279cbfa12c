import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { ConnectionError } from 'slonik';
import type { JobKind, Jobs } from './jobs.ts';
import type { Logger } from './log.ts';
import { pause } from './pause.ts';

/** Where the queue is, and as whom to go there. */
type Place = { database_url: string; database_role: string | undefined };

const RETRY_DEADLINE = 60_000;
const QUERY_DEADLINE = 15_000;
/** How long a process whose connections were cut waits before it tries to open another again, in milliseconds. */
const AGAIN = 100;
/** Few at a time: a worker that comes back waits for as long as it takes to free them. */
const MOST_FREED = 50;
/** How long processes take at most to open their connections again after a database that was away, in milliseconds. */
const RETURN = 5_000;
const CONNECT_DEADLINE = 3_000;
/** What a job waits for lies no further ahead than this beyond its delay, unless a clock was wrong; in milliseconds, as is how often that is looked for. */
const MOST_SKEW = 30_000;
const SET_RIGHT_EVERY = 10_000;
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
  const live = new Set<pg.ClientBase>();
  const consumer = openPool(place, log, QUERY_DEADLINE, async client => {
    await client.query('select pg_advisory_lock_shared($1)', [worker]);
    live.add(client);
  });
  let isReopening = false;
  consumer.on('remove', async client => {
    live.delete(client);
    if (live.size > 0 || isReopening) return;
    isReopening = true;
    while (!consumer.ending && live.size === 0 && !(await reopen(consumer))) await pause(AGAIN);
    isReopening = false;
  });
  let seen_gone: readonly string[] = [];
  let lost_at = Number.NEGATIVE_INFINITY;
  let set_right_at = Number.NEGATIVE_INFINITY;
  let seen_ahead: readonly string[] = [];
  const setRight = async () => {
    if (performance.now() - set_right_at < SET_RIGHT_EVERY) return;
    set_right_at = performance.now();
    try {
      seen_ahead = await returnToNow(producer, seen_ahead);
    } catch (error) {
      log.debug({ error }, 'times of the queue not looked at; it is tried again');
    }
  };
  const noteLost = () => void (lost_at = performance.now());
  producer.on('error', noteLost);
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
      await setRight();
      const before = new Set(seen_gone);
      seen_gone = [];
      try {
        return await inTransaction(producer, async client => {
          const gone = await goneWorkers(client);
          // Whose connections were cut with ours is opening others.
          if (performance.now() - lost_at < RETURN) return 0;
          seen_gone = gone;
          const workers = gone.filter(name => before.has(name));
          return workers.length > 0 ? await free(client, workers, letGo) : 0;
        });
      } catch (error) {
        noteLost();
        throw error;
      }
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

/** A connection that cannot be had, or is lost meanwhile, is told by a ConnectionError: pg says so in words alone. */
async function inTransaction<T>(pool: pg.Pool, work: (client: pg.ClientBase) => Promise<T>): Promise<T> {
  const lost = (cause: Error) => new ConnectionError('no connection to the queue', { cause });
  const client = await pool.connect().catch((error: Error) => {
    throw lost(error);
  });
  let isLost = false;
  const onError = () => void (isLost = true);
  client.on('error', onError);
  let failure: Error | undefined;
  try {
    await client.query('begin');
    const result = await work(client);
    await client.query('commit');
    return result;
  } catch (error) {
    failure = isLost ? lost(error as Error) : (error as Error);
    throw failure;
  } finally {
    client.off('error', onError);
    client.release(failure);
  }
}

/**
 * Takes back what a process with a clock ahead of the database's put into the future. BullMQ writes down its own times: until then no worker would
 * look for jobs that were lost, or take those that wait for another attempt. `seen`: the looks ahead that this returned the last time. Only those that
 * are the same still are forgotten: a process that is ahead looks again and again, and what it marks others would take at once.
 */
export async function returnToNow(pool: pg.Pool, seen: readonly string[]): Promise<readonly string[]> {
  const now = `(extract(epoch from clock_timestamp()) * 1000)::int8`;
  const look = `queue || ' ' || value`;
  if (seen.length > 0)
    await pool.query(`delete from meta where field = 'stalled-check' and ${look} = any ($1)`, [seen]);
  await pool.query(
    `update job set process_at_ms = ${now} + delay_ms where (queue, id) in (
      select queue, id from job where state = 'delayed' and process_at_ms > ${now} + $1 + delay_ms for update skip locked)`,
    [MOST_SKEW],
  );
  const { rows } = await pool.query<{ look: string }>(
    `select ${look} as look from meta where field = 'stalled-check' and value::int8 > ${now} + $1`,
    [MOST_SKEW],
  );
  return rows.map(row => row.look);
}

/**
 * Workers that have jobs, and of whose connections none is left; nobody else looks at them, and none of them comes back, before the
 * transaction ends. None while the server has only just started.
 */
async function goneWorkers(client: pg.ClientBase): Promise<string[]> {
  const { rows } = await client.query<{ worker: string }>(
    `with workers as materialized (
      select distinct processed_by as worker from job where state = 'active' and processed_by ~ '^-?[0-9]{1,19}$'
        and clock_timestamp() - pg_postmaster_start_time() > $1 * interval '1 ms')
    select worker from workers where pg_try_advisory_xact_lock(worker::bigint)`,
    [RETURN],
  );
  return rows.map(({ worker }) => worker);
}

/** Frees jobs of these workers; of what fails the locks run out. */
async function free(client: pg.ClientBase, workers: readonly string[], letGo: LetGo): Promise<number> {
  const { rows } = await client.query<TakenJob>(
    `select queue, id, data, lock_token, processed_by from job where state = 'active' and processed_by = any ($1)
    limit ${MOST_FREED} for update skip locked`,
    [workers],
  );
  let freed = 0;
  for (const { queue, id, data, lock_token, processed_by } of rows) {
    await letGo(queue, data, processed_by);
    await client.query('select move_active_to_wait($1, $2, $3, $4)', [queue, id, lock_token, Date.now()]);
    freed += 1;
  }
  return freed;
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
    ...(onConnect && { connectionTimeoutMillis: CONNECT_DEADLINE }),
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
