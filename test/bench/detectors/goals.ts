import type { Measured } from './measure.ts';

/** What the detectors are held to, together and one by one. */
export const goals = { recall: 0.95, precision: 0.95, alarms_per_10000: 2 };

/** The goals that were not met: a sentence for each. */
export function goalsMissed(measured: Measured): string[] {
  const missed = [...measured.figures].flatMap(([detector, figures]) => {
    const { recall, precision } = ratesOf(figures);
    return [
      ...(recall !== null && recall < goals.recall ? [`${detector} finds too few strong scenarios.`] : []),
      ...(precision !== null && precision < goals.precision ? [`${detector} is wrong too often.`] : []),
    ];
  });
  const many = alarmsPer10000(measured) > goals.alarms_per_10000;
  return many ? [...missed, 'All detectors together raise too many false alarms.'] : missed;
}

/** Recall of the strong scenarios, and of the weak ones; precision of what is told about the day. Null: there was nothing to tell it by. */
export const ratesOf = ({ strong, weak, answers, false_alarms }: Rated) => ({
  recall: part(strong.found, strong.planted),
  weak_recall: part(weak.found, weak.planted),
  precision: part(answers, answers + false_alarms),
});

type Rated = Measured['figures'] extends Map<string, infer Figures> ? Figures : never;

const part = (some: number, all: number) => (all === 0 ? null : some / all);

export const alarmsPer10000 = ({ false_alarms, normal_events }: Measured): number =>
  normal_events === 0 ? 0 : (10_000 * false_alarms.length) / normal_events;
