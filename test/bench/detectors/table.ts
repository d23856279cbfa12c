import { catalog } from '#shared/detection/detectors/index.ts';
import { formatDuration } from '#shared/values/time.ts';
import { goals, ratesOf } from './goals.ts';
import { type Figures, type Measured, noFigures } from './measure.ts';

/** What the worlds came to, as a table for a person: each figure under its goal. */
export function report(title: string, measured: Measured, missed: readonly string[], why: boolean): string {
  const { figures, false_alarms } = measured;
  const alarms = [...Map.groupBy(false_alarms, ({ detector, agent_id }) => `${detector} ${agent_id}`).values()].flat();
  return [
    '',
    `  ${title}`,
    '',
    line('', 'strong', 'weak', 'recall', 'precision', 'right', 'wrong', 'told after', 'event'),
    line('goal', '', '', `≥ ${goals.recall}`, `≥ ${goals.precision}`, '', '', '', ''),
    ...catalog.map(({ name }) => rowOf(name, figures.get(name) ?? noFigures())),
    '',
    ...(why ? alarms.map(alarm => `    ${alarm.detector} ${alarm.agent_id}: ${alarm.explanation}`) : []),
    '',
    ...notes.map(note => `  ${note}`),
    ...missed.map(goal => `  ✗ ${goal}`),
    ...(missed.length === 0 ? ['  ✓ Every goal is met.'] : []),
    '',
  ].join('\n');
}

const notes = [
  'strong, weak: scenarios found by the detector they were planted for, of conduct by any that may answer, of those planted. recall: of the strong ones.',
  'right, wrong: alerts about the day that answer a scenario, and that answer none. How often ordinary conduct alarms is for the families to say.',
  'told after: median time from the first event of a scenario to the alert. event: the median number of that event.',
  'unmandated_payment is off by default: agents that have no mandate, were it on. silent_source: sources of its own.',
];

function rowOf(name: string, figures: Figures): string {
  const { strong, weak, answers, false_alarms, delays } = figures;
  const { recall, precision } = ratesOf(figures);
  const delay = median(delays.map(({ ms }) => ms));
  return line(
    name,
    strong.planted === 0 ? '–' : `${strong.found}/${strong.planted}`,
    weak.planted === 0 ? '–' : `${weak.found}/${weak.planted}`,
    rate(recall),
    rate(precision),
    String(answers),
    String(false_alarms),
    delay === null ? '–' : delay === 0 ? 'at once' : formatDuration(delay),
    String(median(delays.map(({ event }) => event)) ?? '–'),
  );
}

const rate = (value: number | null) => (value === null ? '–' : value.toFixed(3));

const line = (name: string, ...cells: string[]) =>
  `  ${name.padEnd(24)}${cells.map((cell, index) => cell.padStart(widths[index] ?? 8)).join(' ')}`.trimEnd();
const widths = [8, 8, 8, 10, 7, 7, 11, 6];

/** The lower of the two in the middle where there are two. */
function median(values: readonly number[]): number | null {
  return values.toSorted((a, b) => a - b)[(values.length - 1) >> 1] ?? null;
}
