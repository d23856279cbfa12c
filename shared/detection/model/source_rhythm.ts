import { z } from 'zod';
import { DAY, SECOND } from '#shared/values/time.ts';

/** At what pace the events of a source arrive, in a size that does not grow. Times are milliseconds since 1970; a batch is one arrival. */
export const SourceRhythm = z.object({
  first_at: z.number(),
  last_at: z.number(),
  /** All gaps between arrivals there ever were. */
  gaps: z.number(),
  /** How many of the latest gaps lie in each bucket: see `bucketOf`. */
  histogram: z.array(z.number()),
  /** The longest gaps that ended on each of the last 30 days (UTC, counted from 1970): one that was not told of, two that were. */
  pauses: z.array(z.object({ day: z.number(), untold: z.number(), told: z.array(z.number()) })),
});
/** `told`: the silence since the last arrival has been told of. */
export type SourceRhythm = z.infer<typeof SourceRhythm> & { told: boolean };

export const beginRhythm = (at: number): SourceRhythm => ({
  first_at: at,
  last_at: at,
  gaps: 0,
  histogram: [],
  pauses: [],
  told: false,
});

/** For how many days a pause counts as one that may come again. */
const REMEMBERED_DAYS = 30;
/** Of so many gaps half is forgotten each time, so that a source whose pace has changed gets a new rhythm. */
const HALF = 2_000;

/** Adds an arrival; one that is not later than the last belongs to it. Changes `rhythm`. */
export function addArrival(rhythm: SourceRhythm, at: number): void {
  const gap = at - rhythm.last_at;
  if (gap <= 0) return;
  const { histogram, told } = rhythm;
  const bucket = bucketOf(gap);
  while (histogram.length <= bucket) histogram.push(0);
  histogram[bucket] = (histogram[bucket] ?? 0) + 1;
  rhythm.gaps += 1;
  if (rhythm.gaps > HALF && rhythm.gaps % HALF === 0) rhythm.histogram = histogram.map(count => Math.floor(count / 2));
  addPause(rhythm, Math.floor(at / DAY), gap, told);
  rhythm.last_at = at;
  rhythm.told = false;
}

function addPause(rhythm: SourceRhythm, day: number, gap: number, told: boolean): void {
  if (rhythm.pauses.at(-1)?.day !== day) {
    rhythm.pauses = rhythm.pauses.filter(pause => pause.day > day - REMEMBERED_DAYS);
    rhythm.pauses.push({ day, untold: 0, told: [] });
  }
  const today = rhythm.pauses.at(-1);
  if (today && told) today.told = longestTwo([...today.told, gap]);
  if (today && !told) today.untold = Math.max(today.untold, gap);
}

/**
 * The longest pause that the source is known to make, in milliseconds. One that was told of may have been an outage: it counts only once
 * there was another as long.
 */
export function usualPause({ pauses }: SourceRhythm): number {
  const [, second = 0] = longestTwo(pauses.flatMap(({ told }) => told));
  return Math.max(second, ...pauses.map(({ untold }) => untold));
}

const longestTwo = (gaps: number[]) => gaps.toSorted((a, b) => b - a).slice(0, 2);

/**
 * A gap that 99 of 100 of the latest do not exceed, in milliseconds; a tenth too long at most, and no longer than any was in 30 days. 0
 * without any.
 */
export function p99Gap({ histogram, pauses }: SourceRhythm): number {
  const wanted = 0.99 * histogram.reduce((sum, count) => sum + count, 0);
  const longest = Math.max(0, ...pauses.flatMap(({ untold, told }) => [untold, ...told]));
  let sum = 0;
  for (const [bucket, count] of histogram.entries()) {
    sum += count;
    if (count > 0 && sum >= wanted) return Math.min(upperOf(bucket), longest);
  }
  return 0;
}

/** Eight buckets to an octave, from a second on: bucket 0 holds what is no longer than that. */
const bucketOf = (gap: number) => Math.max(0, Math.ceil(8 * Math.log2(gap / SECOND)));
const upperOf = (bucket: number) => Math.ceil(2 ** (bucket / 8) * SECOND);
