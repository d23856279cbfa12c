import { DAY, timestamp } from '#shared/values/time.ts';

/** Columns of a chart; more would be thinner than a line. */
const MOST_PERIODS = 92;

/** Periods of UTC, each by the day it begins on (`YYYY-MM-DD`, of months and years as far as they say), without a gap. */
export type Periods = { unit: 'Day' | 'Week' | 'Month' | 'Year'; labels: string[]; of(at: number): string };

/** The shortest periods by which the time from `from` to `to` (ms since 1970, both in it) is no more of them than a chart shows. */
export function periodsOf(from: number, to: number): Periods {
  for (const unit of ['Day', 'Week', 'Month'] as const) {
    const labels = labelsOf(unit, from, to);
    if (labels.length <= MOST_PERIODS) return { unit, labels, of: labelOf[unit] };
  }
  return { unit: 'Year', labels: labelsOf('Year', from, to), of: labelOf.Year };
}

const labelOf = {
  Day: (at: number) => timestamp(at).slice(0, 'YYYY-MM-DD'.length),
  // 1970 began on a Thursday; weeks begin on Mondays (ISO 8601).
  Week: (at: number) => labelOf.Day(Math.floor((at + 3 * DAY) / (7 * DAY)) * 7 * DAY - 3 * DAY),
  Month: (at: number) => timestamp(at).slice(0, 'YYYY-MM'.length),
  Year: (at: number) => timestamp(at).slice(0, 'YYYY'.length),
};

/** No more than are needed to see that they are too many, but of years, which are few. */
function labelsOf(unit: keyof typeof labelOf, from: number, to: number): string[] {
  const label = labelOf[unit];
  const last = label(to);
  const labels = [label(from)];
  for (let at = from; labels.at(-1) !== last && (unit === 'Year' || labels.length <= MOST_PERIODS); at += DAY) {
    const next = label(Math.min(at + DAY, to));
    if (next !== labels.at(-1)) labels.push(next);
  }
  return labels;
}
