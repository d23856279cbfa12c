import { noVerdict } from '#shared/assessment/verdict.ts';
import { judgeRange } from '#shared/detection/consumer/judge_range.ts';
import { type Episode, joinEpisodes } from '#shared/detection/conduct/episodes.ts';
import { noSpreads } from '#shared/detection/model/spreads.ts';
import type { LoadedRange } from '#shared/detection/load/load_range.ts';
import type { Detector } from '#shared/detection/model/detector.ts';
import { withDefaults } from '#shared/detection/settings/detector_settings.ts';
import type { DetectionEvent } from '#shared/events/log/payment.ts';
import type { SaidOfPayees } from '#test/worlds/log.ts';
import { type CategoryOf, emptyRange } from '#test/worlds/empty_range.ts';

/** What a detector said of an event. `at` is when the event occurred: where a month is sent at once, all of it arrives now. */
export type Hit = {
  detector: string;
  agent_id: string;
  /** One alert a subject, whichever agent it was. */
  whichever_agent: boolean;
  subject: string;
  at: number;
  event_id: string;
  score: number;
  explanation: string;
  /** It was added to an alert that nobody had closed, and would have raised none. */
  goes_on?: true;
  /** Where alerts say to which incident they belong. */
  incident_id?: string;
};

/** Events that are judged in one go, as the detect process does where a log has that many waiting. */
const RANGE = 1_000;

/** A log to be judged, and what its events say of payees and are for. */
export type JudgedLog = {
  events: readonly DetectionEvent[];
  payees: SaidOfPayees;
  purposes: LoadedRange['purposes'];
  categoryOf: CategoryOf;
};

/**
 * Takes a log through the code that judges, range by range, without a database. `budget`: expected false alarms per agent and month.
 */
export function judgeLog(
  { events, payees, purposes, categoryOf }: JudgedLog,
  detectors: readonly Detector[],
  budget: number,
): Hit[] {
  const range = emptyRange(events, key => ({ ...payees.get(key), key }), categoryOf, purposes);
  const active = detectors.map(withDefaults);
  const whichever = new Set(detectors.filter(({ whichever_agent }) => whichever_agent).map(({ name }) => name));
  const conduct = { budget, spreads: noSpreads(), told: new Map<string, Set<string>>() };
  const episodes = new Map<string, Episode[]>();
  const hits: Hit[] = [];
  for (let start = 0; start < events.length; start += RANGE) {
    const { findings, failures } = judgeRange(
      events.slice(start, start + RANGE),
      range,
      () => noVerdict,
      active,
      conduct,
    );
    if (failures.length > 0) throw new Error(`a detector threw: ${JSON.stringify(failures[0])}`);
    for (const { detector, event, finding } of joinEpisodes(findings, episodes, name => whichever.has(name)))
      hits.push({
        detector,
        agent_id: event.agent_id,
        whichever_agent: whichever.has(detector),
        subject: finding.subject,
        at: events[event.chain_seq - 1]?.occurred_at ?? 0,
        event_id: event.id,
        score: finding.score,
        explanation: finding.explanation,
        ...(finding.goes_on !== undefined && { goes_on: true }),
      });
  }
  return hits;
}
