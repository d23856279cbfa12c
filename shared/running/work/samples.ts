import { z } from 'zod';
import { type Db, sql } from '#shared/platform/db.ts';
import type { JobKind } from '#shared/platform/jobs.ts';
import type { Services } from '#shared/platform/services.ts';
import { HOUR, MINUTE, SECOND, timestamp } from '#shared/values/time.ts';

/** How long samples are kept. */
export const SAMPLES_KEPT = 3 * HOUR;
/** How many minutes `/ops` draws. */
export const MINUTES_DRAWN = 60;
const FLUSH_EVERY = 10 * SECOND;

type Ended = { waited_ms: number; ran_ms: number; failed: boolean };
type Sum = { kind: JobKind; minute: number; jobs: number; failed: number; waited_ms: number; ran_ms: number };

export type Samples = {
  /** Adds a finished job. Costs no query. */
  note(kind: JobKind, ended: Ended): void;
  stop(): Promise<void>;
};

/** Adds up the jobs of this process by kind and minute, and writes the sums every ten seconds in one statement, until `stop`. */
export function createSamples({ db, log, now }: Pick<Services, 'db' | 'log' | 'now'>): Samples {
  let sums = new Map<string, Sum>();
  const flush = async () => {
    const batch = [...sums.values()];
    sums = new Map();
    if (batch.length === 0) return;
    // Unwritten samples are only missing in a curve.
    await addSamples(db, batch).catch((error: unknown) => log.debug({ error }, 'samples of work not written'));
  };
  let flushing = Promise.resolve();
  const timer = setInterval(() => (flushing = flush()), FLUSH_EVERY).unref();
  return {
    note(kind, { waited_ms, ran_ms, failed }) {
      const minute = minuteOf(now());
      const name = `${kind} ${minute}`;
      const sum = sums.get(name) ?? { kind, minute, jobs: 0, failed: 0, waited_ms: 0, ran_ms: 0 };
      sum.jobs += 1;
      sum.failed += failed ? 1 : 0;
      sum.waited_ms += Math.round(waited_ms);
      sum.ran_ms += Math.round(ran_ms);
      sums.set(name, sum);
    },
    async stop() {
      clearInterval(timer);
      await flushing;
      await flush();
    },
  };
}

const minuteOf = (at: number): number => Math.floor(at / MINUTE) * MINUTE;

const addSamples = (db: Db, sums: readonly Sum[]) =>
  db.query(sql.unsafe`
    insert into work_samples as s (kind, minute, jobs, failed, waited_ms, ran_ms)
    select * from ${sql.unnest(
      // In a fixed order, so that two processes cannot deadlock.
      sums
        .toSorted((a, b) => (a.kind < b.kind ? -1 : a.kind > b.kind ? 1 : a.minute - b.minute))
        .map(({ kind, minute, jobs, failed, waited_ms, ran_ms }) => [
          kind,
          timestamp(minute),
          jobs,
          failed,
          waited_ms,
          ran_ms,
        ]),
      ['text', 'timestamptz', 'int4', 'int4', 'int8', 'int8'],
    )} as given
    on conflict (kind, minute) do update set jobs = s.jobs + excluded.jobs, failed = s.failed + excluded.failed,
      waited_ms = s.waited_ms + excluded.waited_ms, ran_ms = s.ran_ms + excluded.ran_ms`);

/** Records how long the oldest row of each kind waits now, in milliseconds. */
export async function sampleOldest(db: Db, ages: ReadonlyMap<JobKind, number>, now: number): Promise<void> {
  const rows = [...ages].toSorted(([a], [b]) => (a < b ? -1 : 1));
  if (rows.length === 0) return;
  await db.query(sql.unsafe`
    insert into work_samples as s (kind, minute, oldest_ms)
    select given.kind, ${timestamp(minuteOf(now))}, given.age from ${sql.unnest(
      rows.map(([kind, age]) => [kind, Math.round(age)]),
      ['text', 'int8'],
    )} as given (kind, age)
    on conflict (kind, minute) do update set oldest_ms = greatest(s.oldest_ms, excluded.oldest_ms)`);
}

const WorkSample = z.object({
  kind: z.string(),
  minute: z.string(),
  jobs: z.number(),
  failed: z.number(),
  waited_ms: z.number(),
  ran_ms: z.number(),
  oldest_ms: z.number(),
});
export type WorkSample = z.infer<typeof WorkSample>;

/** The samples from a time on, the oldest first. */
export const listSamples = (db: Db, from: number): Promise<readonly WorkSample[]> =>
  db.any(sql.type(WorkSample)`
    select kind, minute, jobs, failed, waited_ms, ran_ms, oldest_ms from work_samples
    where minute >= ${timestamp(from)} order by minute, kind`);
