import type { Measured } from './measure.ts';

/** What each detector is held to. */
export const goals = { recall: 0.95, precision: 0.95 };

/** The goals that were not met: a sentence for each. */
export function goalsMissed(measured: Measured): string[] {
  return [...measured.figures].flatMap(([detector, figures]) => {
    const { recall, precision } = ratesOf(figures);
    return [
      ...(recall !== null && recall < goals.recall ? [`${detector} finds too few strong scenarios.`] : []),
      ...(precision !== null && precision < goals.precision ? [`${detector} is wrong too often.`] : []),
    ];
  });
}

/** Recall of the strong scenarios, and of the weak ones; precision of what is told about the day. Null: there was nothing to tell it by. */
export const ratesOf = ({ strong, weak, answers, false_alarms }: Rated) => ({
  recall: part(strong.found, strong.planted),
  weak_recall: part(weak.found, weak.planted),
  precision: part(answers, answers + false_alarms),
});

type Rated = Measured['figures'] extends Map<string, infer Figures> ? Figures : never;

const part = (some: number, all: number) => (all === 0 ? null : some / all);
