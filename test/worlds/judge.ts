import { noVerdict, type Verdict } from '#shared/assessment/verdict.ts';
import { judgeRange } from '#shared/detection/consumer/judge_range.ts';
import { joinEpisodes } from '#shared/detection/conduct/episodes.ts';
import { ALERT_BUDGET } from '#shared/detection/settings/alert_budget.ts';
import { noSpreads } from '#shared/detection/model/spreads.ts';
import type { ScreenedPayee } from '#shared/detection/model/payees.ts';
import type { DetectionEvent } from '#shared/events/log/payment.ts';
import type { CatalogEntry, Detector, EventFinding, TimedDetector } from '#shared/detection/model/detector.ts';
import { isWorse, weightOf } from '#shared/detection/model/counted.ts';
import { severityOfFinding } from '#shared/detection/model/score.ts';
import { withDefaults } from '#shared/detection/settings/detector_settings.ts';
import type { EventInput } from '#shared/events/input/event_input.ts';
import { emptyRange } from './empty_range.ts';
import { logOf, notePayee, type SaidOfPayees } from './log.ts';
import type { RaisedAlert } from '#bin/demo/score.ts';

/**
 * An alert as it would be raised; `agent_id` is the client's id of the agent, and `explanation` tells why. `hits` are the events that it
 * was raised by and that were added to it, and when each was told of, in order.
 */
export type JudgedAlert = RaisedAlert & { agent_id: string; explanation: string; hits: Hit[] };
type Hit = { event_id: string; at: number; explanation: string };

type Options = {
  /** Of the detectors of what does not happen. They go by when events arrive, which is when they occur. */
  timed?: readonly TimedDetector[];
  /** See `assessWorld`; without it nothing is verified or held against mandates. */
  verdictOf?: (event: { chain_seq: number }) => Verdict;
  /** See `screenWorld`; without it no payee matches a list. */
  screened?: ReadonlyMap<string, ScreenedPayee>;
};

/**
 * Takes a world through the detectors without a database: the alerts that the service would hold in the end. For benchmarks and
 * tests of quality, where a run must take seconds.
 */
export function judgeWorld(
  inputs: readonly EventInput[],
  now: number,
  detectors: readonly Detector[],
  { timed = [], verdictOf = () => noVerdict, screened = new Map() }: Options = {},
): JudgedAlert[] {
  const events = logOf(inputs, now);
  const payees: SaidOfPayees = new Map();
  for (const input of inputs) notePayee(payees, input);
  const range = emptyRange(events, key => ({ ...payees.get(key), key }));
  for (const [key, state] of range.payees.states) state.screening = screened.get(key) ?? null;
  const { findings: found, failures } = judgeRange(events, range, verdictOf, detectors.map(withDefaults), {
    budget: ALERT_BUDGET,
    spreads: noSpreads(),
  });
  if (failures.length > 0) throw new Error(`a detector threw: ${JSON.stringify(failures[0])}`);
  const kinds = new Map<string, CatalogEntry>([...detectors, ...timed].map(detector => [detector.name, detector]));
  const told: Told[] = [
    ...joinEpisodes(found, new Map(), name => kinds.get(name)?.whichever_agent === true).map(each => ({
      ...each,
      at: events[each.event.chain_seq - 1]?.received_at ?? now,
    })),
    ...timed.flatMap(detector => replayed(events, now, detector)),
  ];
  const groups = Map.groupBy(told, ({ detector, event, finding }) => {
    const agent = kinds.get(detector)?.whichever_agent ? '' : event.agent_id;
    return [detector, agent, finding.subject].join(' ');
  });
  return [...groups.values()].flatMap(list => {
    const [first] = list;
    return first ? [alertOf(first, list, events)] : [];
  });
}

type Told = EventFinding & { at: number };

/** What a detector of what does not happen says as time goes by. */
function replayed(events: readonly DetectionEvent[], now: number, detector: TimedDetector): Told[] {
  const replay = detector.replay(withDefaults(detector).params);
  const during = events.flatMap(event => replay.take(event).map(found => ({ ...found, at: event.received_at })));
  const after = replay.end(now).map(found => ({ ...found, at: now }));
  return [...during, ...after].map(found => ({ ...found, detector: detector.name }));
}

function alertOf({ detector, event }: Told, list: readonly Told[], events: readonly DetectionEvent[]): JudgedAlert {
  const worst = list.reduce((a, b) => (isWorse(b.finding, weightOf(a.finding)) ? b : a)).finding;
  const seqs = new Set([...worst.seqs, ...list.map(({ event }) => event.chain_seq)]);
  const newest = [...seqs].toSorted((a, b) => b - a).slice(0, MOST_EVENTS);
  return {
    detector,
    agent_id: event.agent_id,
    severity: severityOfFinding(worst),
    score: worst.score,
    title: worst.title,
    explanation: worst.explanation,
    event_ids: newest.flatMap(seq => events[seq - 1]?.id ?? []),
    hits: list.map(({ event, finding, at }) => ({ event_id: event.id, at, explanation: finding.explanation })),
  };
}

/** How many events an alert names. */
const MOST_EVENTS = 100;
