import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { z } from 'zod';
import { release } from '#shared/interface/release.ts';
import { type Db, sql } from '#shared/platform/db.ts';
import type { ProcessType } from '#shared/platform/jobs.ts';
import type { Services } from '#shared/platform/services.ts';
import { SECOND, timestamp } from '#shared/values/time.ts';

/** The kinds of processes that announce themselves. */
export type PresentType = ProcessType | 'schedule';

const BEAT = 10 * SECOND;
/** A process that missed two beats no longer counts; a process that stops records when it left. */
const PATIENCE = 35 * SECOND;

/**
 * Records in the database, every ten seconds until `stop`, that this process works as these types. The database and not the queue knows who
 * is present: it works alike with both engines, and a Redis may forbid CLIENT LIST. The database's clock counts, because those of machines
 * may differ.
 */
export function announcePresence(
  { db, log, now }: Pick<Services, 'db' | 'log' | 'now'>,
  types: readonly PresentType[],
): { stop(): Promise<void> } {
  const process_id = randomUUID();
  const started_at = timestamp(now());
  const beat = async () => {
    try {
      await db.query(sql.unsafe`
        insert into worker_presence (process_id, type, host, pid, version, started_at, seen_at)
        select ${process_id}, type, ${hostname()}, ${process.pid}, ${release}, ${started_at}::timestamptz, now()
        from unnest(${sql.array([...types], 'text')}) type
        on conflict (process_id, type) do update set seen_at = excluded.seen_at`);
    } catch (error) {
      log.debug({ error }, 'presence not noted; it is tried again');
    }
    // One at a time: otherwise a stop would wait for all requests to a database that hangs.
    if (!stopped) timer = setTimeout(() => (beating = beat()), BEAT).unref();
  };
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let beating = beat();
  return {
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await beating;
      await db
        .query(sql.unsafe`update worker_presence set left_at = now() where process_id = ${process_id}`)
        .catch((error: unknown) => log.debug({ error }, 'presence not withdrawn; it goes stale'));
    },
  };
}

const Presence = z.object({
  type: z.string(),
  host: z.string(),
  pid: z.number(),
  version: z.string(),
  started_at: z.string(),
  seen_at: z.string(),
});
export type Presence = z.infer<typeof Presence>;

/** The present processes, by type. */
export const listPresent = (db: Db) =>
  db.any(sql.type(Presence)`
    select type, host, pid, version, started_at, seen_at from worker_presence
    where seen_at > now() - make_interval(secs => ${PATIENCE / SECOND}) and left_at is null order by type, started_at, process_id`);

const LeftProcess = Presence.extend({ left_at: z.string().nullable() });
export type LeftProcess = z.infer<typeof LeftProcess>;

/** The processes that left within the last hour, latest first: `left_at` is null for one that fell silent. */
export const listLeft = (db: Db, limit: number): Promise<readonly LeftProcess[]> =>
  db.any(sql.type(LeftProcess)`
    select type, host, pid, version, started_at, seen_at, left_at from worker_presence
    where seen_at > now() - interval '1 hour'
      and (left_at is not null or seen_at <= now() - make_interval(secs => ${PATIENCE / SECOND}))
    order by coalesce(left_at, seen_at) desc limit ${limit}`);
