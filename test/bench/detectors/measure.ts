import type { Generated } from '#bin/demo/generate.ts';
import type { JudgedAlert } from '#test/worlds/judge.ts';
import type { Label } from '#bin/demo/plant.ts';
import { score } from '#bin/demo/score.ts';
import { detectors } from '#shared/detection/detectors/index.ts';

/** What the worlds came to, detector by detector. */
export type Measured = {
  figures: Map<string, Figures>;
  false_alarms: FalseAlarm[];
};

export type Figures = {
  strong: Found;
  weak: Found;
  /** Alerts about the day that answer a scenario, this detector's own or another that it may answer. */
  answers: number;
  false_alarms: number;
  /** From the first event of a scenario to the one that it was told of: milliseconds, and which event of the scenario that was. */
  delays: { ms: number; event: number }[];
};

type Found = { planted: number; found: number };
export type FalseAlarm = { detector: string; agent_id: string; explanation: string };

export const noFigures = (): Figures => ({
  strong: { planted: 0, found: 0 },
  weak: { planted: 0, found: 0 },
  answers: 0,
  false_alarms: 0,
  delays: [],
});

/** Detectors of conduct: several reasons are one alert of the strongest, which says them all. */
const behavioral = new Set(detectors.filter(detector => detector.behavioral).map(({ name }) => name));

/**
 * Holds the alerts about a world against its labels. A scenario is found by the detector that it was planted for, and by no other, unless that
 * is one of conduct: then another of those that may answer may have seen the strongest reason.
 */
export function measure(world: Generated, alerts: readonly JudgedAlert[]): Measured {
  const { answers, false_alarms } = score(world, alerts);
  const figures = new Map<string, Figures>();
  const of = (detector: string) => {
    const known = figures.get(detector) ?? noFigures();
    figures.set(detector, known);
    return known;
  };
  const order = new Map(world.events.map((event, index) => [event.id, index]));
  for (const { label, alerts: answering } of answers) {
    const [meant = ''] = label.detectors;
    const own =
      answering.find(({ detector }) => detector === meant) ??
      answering.find(({ detector }) => behavioral.has(meant) && behavioral.has(detector));
    of(meant)[label.strength].planted += 1;
    if (own) {
      of(meant)[label.strength].found += 1;
      of(meant).delays.push(delayOf(label, own, order));
    }
    for (const { detector } of answering) of(detector).answers += 1;
  }
  for (const { detector } of false_alarms) of(detector).false_alarms += 1;
  return {
    figures,
    false_alarms: false_alarms.map(({ detector, agent_id, hits }) => ({
      detector,
      agent_id,
      explanation: hits.find(({ at }) => at >= world.day)?.explanation ?? '',
    })),
  };
}

function delayOf({ from, event_ids }: Label, { hits }: JudgedAlert, order: ReadonlyMap<string, number>) {
  const began = Date.parse(from);
  const inOrder = event_ids.toSorted((a, b) => (order.get(a) ?? 0) - (order.get(b) ?? 0));
  const hit = hits.find(({ event_id }) => event_ids.includes(event_id)) ?? hits.find(({ at }) => at >= began);
  return { ms: Math.max(0, (hit?.at ?? began) - began), event: inOrder.indexOf(hit?.event_id ?? '') + 1 };
}

export const nothingMeasured = (): Measured => ({
  figures: new Map(),
  false_alarms: [],
});

/** Several worlds taken together. */
export function sumOf(list: readonly Measured[]): Measured {
  const sum = nothingMeasured();
  for (const { figures, false_alarms } of list) {
    for (const [detector, more] of figures)
      sum.figures.set(detector, added(sum.figures.get(detector) ?? noFigures(), more));
    sum.false_alarms.push(...false_alarms);
  }
  return sum;
}

const added = (a: Figures, b: Figures): Figures => ({
  strong: { planted: a.strong.planted + b.strong.planted, found: a.strong.found + b.strong.found },
  weak: { planted: a.weak.planted + b.weak.planted, found: a.weak.found + b.weak.found },
  answers: a.answers + b.answers,
  false_alarms: a.false_alarms + b.false_alarms,
  delays: [...a.delays, ...b.delays],
});
