import type { EventInput } from '#shared/events/input/event_input.ts';
import type { Alert } from '#shared/casework/alerts.ts';
import { DAY } from '#shared/values/time.ts';
import type { Label } from './plant.ts';

/** What a score needs to know of an alert. `event_ids` newest first. */
export type RaisedAlert = Pick<Alert, 'detector' | 'severity' | 'score' | 'title' | 'event_ids'>;

/**
 * A scenario and the alerts that answer it, the best first; none: it was missed. `joined`: all of them were open already because of
 * something that happened more than a day earlier, so that the scenario was added to them and nobody was told anew.
 */
export type ScenarioResult<A> = { label: Label; alerts: A[]; joined: boolean };

export type Score<A extends RaisedAlert = RaisedAlert> = {
  answers: ScenarioResult<A>[];
  found: number;
  missed: number;
  /** How many of the found ones joined alerts that were open already. */
  joined: number;
  /** Alerts about the day that answer no scenario. */
  false_alarms: A[];
  /** Alerts about nothing but the history, in which the detectors get to know the agents. */
  while_learning: A[];
  /** Events of the day that belong to no scenario. */
  normal_events: number;
  false_alarms_per_10000: number;
};

/**
 * Holds alerts against what was planted. An alert answers a scenario when it is one of the detectors that may, and names one of the
 * scenario's events; what it names besides does not matter, because later findings are added to an open alert.
 */
export function score<A extends RaisedAlert>(
  { events, labels, day }: { events: EventInput[]; labels: Label[]; day: number },
  alerts: readonly A[],
): Score<A> {
  const planted = new Map(labels.flatMap(label => label.event_ids.map(id => [id, label] as const)));
  const times = new Map(events.map(event => [event.id, Date.parse(event.occurred_at)]));
  const ofDay = new Set(events.map(event => event.id).filter(id => (times.get(id) ?? 0) >= day));
  const answered = new Map<Label, A[]>(labels.map(label => [label, []]));
  const [false_alarms, while_learning]: [A[], A[]] = [[], []];
  for (const alert of alerts) {
    const touched = new Set(alert.event_ids.flatMap(id => planted.get(id) ?? []));
    const label = [...touched].find(({ detectors }) => detectors.includes(alert.detector));
    if (label) answered.get(label)?.push(alert);
    else if (alert.event_ids.some(id => ofDay.has(id))) false_alarms.push(alert);
    else while_learning.push(alert);
  }
  const isOlder = ({ from }: Label, { event_ids }: A) =>
    event_ids.some(id => (times.get(id) ?? Infinity) < Date.parse(from) - DAY);
  const answers = labels.map(label => {
    const alerts = bestFirst(label, answered.get(label) ?? []);
    return { label, alerts, joined: alerts.length > 0 && alerts.every(alert => isOlder(label, alert)) };
  });
  const found = answers.filter(answer => answer.alerts.length > 0).length;
  const normal_events = [...ofDay].filter(id => !planted.has(id)).length;
  return {
    answers,
    found,
    missed: labels.length - found,
    joined: answers.filter(answer => answer.joined).length,
    false_alarms,
    while_learning,
    normal_events,
    false_alarms_per_10000: normal_events === 0 ? 0 : (10_000 * false_alarms.length) / normal_events,
  };
}

/** The alert of the detector that the scenario was planted for comes first, then the others by their score. */
const bestFirst = <A extends RaisedAlert>({ detectors }: Label, alerts: A[]): A[] =>
  alerts.toSorted(
    (a, b) => Number(b.detector === detectors[0]) - Number(a.detector === detectors[0]) || b.score - a.score,
  );
