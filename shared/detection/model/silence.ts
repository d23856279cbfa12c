import { z } from 'zod';
import type { Finding } from './detector.ts';
import { count, factor, seconds } from './params.ts';
import { p99Gap, type SourceRhythm, usualPause } from './source_rhythm.ts';
import { momentText } from './wording.ts';
import { DAY, formatDuration, HOUR, MINUTE, SECOND } from '#shared/values/time.ts';

export const SilenceParams = z.strictObject({
  times_usual: factor(5, 'Gap multiple', 'Multiple of the gap that 99% of a source’s events arrive within', 1),
  times_longest: factor(1.2, 'Pause multiple', 'Multiple of the source’s longest usual pause in the last 30 days', 1),
  least_silence_s: seconds((10 * MINUTE) / SECOND, 'Minimum silence', 'Shorter silences never raise an alert'),
  least_gaps: count(100, 'Minimum gaps', 'Gaps between arrivals needed before a source counts as regular'),
  least_history_s: seconds(
    DAY / SECOND,
    'Minimum history',
    'How long a source must have sent events before it counts as regular',
  ),
});
export type SilenceParams = z.infer<typeof SilenceParams>;

/** How long a source may be silent, in milliseconds; null while it is not regular. */
function mostSilence(rhythm: SourceRhythm, params: SilenceParams): number | null {
  const { gaps, first_at, last_at } = rhythm;
  if (gaps < params.least_gaps || last_at - first_at < params.least_history_s * SECOND) return null;
  return Math.ceil(
    Math.max(
      params.least_silence_s * SECOND,
      params.times_usual * p99Gap(rhythm),
      params.times_longest * usualPause(rhythm),
      weekendOf(rhythm),
    ),
  );
}

/** A source that rests so long every day may keep office hours, and a week shows whether it rests at weekends, too. */
const REST = 10 * HOUR;
const WEEKEND = 3 * DAY;

/** How long a source may be silent in its first week because there may be a weekend in it. */
const weekendOf = (rhythm: SourceRhythm): number =>
  usualPause(rhythm) >= REST && rhythm.last_at - rhythm.first_at < 7 * DAY ? WEEKEND : 0;

/** The time from which a source has been silent too long; null while it is not regular. */
export function silentAt(rhythm: SourceRhythm, params: SilenceParams): number | null {
  const most = mostSilence(rhythm, params);
  return most === null ? null : rhythm.last_at + most;
}

/** Settings and sources change, and a rhythm may get faster, so sources are checked at least this often. */
const LOOK_AGAIN = 5 * MINUTE;

/**
 * When to see whether a source has fallen silent: once it will have been silent too long (`silent_at`), and at least every five minutes. Null: not before its
 * next event, as it is not regular. Where it had been silent too long already by `until`, up to when its events are analyzed, it was not to be told of.
 */
export function nextLook(silent_at: number | null, { until, now }: { until: number; now: number }): number | null {
  if (silent_at === null) return null;
  const latest = now + LOOK_AGAIN;
  return silent_at <= until ? latest : Math.max(now, Math.min(silent_at, latest));
}

/** The finding on a source that has been silent too long. `name` is null when unknown. */
export function judgeSilence(
  { source_id, chain_seq }: { source_id: string; chain_seq: number },
  name: string | null,
  rhythm: SourceRhythm,
  params: SilenceParams,
): Finding | null {
  const most = mostSilence(rhythm, params);
  if (most === null) return null;
  const { times_usual, times_longest, least_silence_s } = params;
  const gap = formatDuration(p99Gap(rhythm));
  const pause = usualPause(rhythm);
  const longest =
    pause > 0
      ? `, ${times_longest} times the longest pause it usually makes (${formatDuration(pause)} in the last 30 d)`
      : '';
  const weekend = weekendOf(rhythm);
  const rest = weekend > 0 ? `, ${formatDuration(weekend)} while it is new and rests every day` : '';
  return {
    score: 40,
    title: `${name === null ? 'A source' : `The source “${name}”`} has been silent for ${formatDuration(most)}`,
    explanation:
      `Nothing has arrived from ${name === null ? 'this source' : `the source “${name}”`} since ${momentText(rhythm.last_at)}. ` +
      `In 99 of 100 cases its next event arrived within ${gap}. An alert is raised after ${formatDuration(most)}, which is the longest ` +
      `of ${times_usual} times that gap, ${formatDuration(least_silence_s * SECOND)}${longest}${rest}. ` +
      'Its payments are not monitored meanwhile: check that it still runs and can reach this service, or disable it.',
    subject: source_id,
    seqs: [chain_seq],
  };
}
