import { noVerdict } from '#shared/assessment/verdict.ts';
import { judgeRange, type RangeResult } from '#shared/detection/consumer/judge_range.ts';
import { type Episode, joinEpisodes } from '#shared/detection/conduct/episodes.ts';
import { noSpreads } from '#shared/detection/model/spreads.ts';
import type { LoadedRange } from '#shared/detection/load/load_range.ts';
import type { Detector, EventFinding } from '#shared/detection/model/detector.ts';
import { MOST_STRAYS } from '#shared/detection/model/late.ts';
import { type Active, withDefaults } from '#shared/detection/settings/detector_settings.ts';
import type { DetectionEvent } from '#shared/events/log/payment.ts';
import { MOST_AGENTS } from '#shared/reassessment/judge_backfills.ts';
import { DAY, HOUR } from '#shared/values/time.ts';
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
 * Takes a log through the code that judges, range by range, without a database; what was filled in later once more, as `judgeBackfills` does.
 * `budget`: expected false alarms per agent and month.
 */
export function judgeLog(log: JudgedLog, detectors: readonly Detector[], budget: number): Hit[] {
  const { events } = log;
  const range = rangeOf(log, events);
  const active = detectors.map(withDefaults);
  const whichever = new Set(detectors.filter(({ whichever_agent }) => whichever_agent).map(({ name }) => name));
  const conduct = { budget, spreads: noSpreads(), told: new Map<string, Set<string>>() };
  const episodes = new Map<string, Episode[]>();
  const late = new Map<string, number>();
  const began = new Map<string, number>();
  const filled = new Set<string>();
  const linked = new Set<number>();
  const hits: Hit[] = [];
  const tell = (findings: readonly EventFinding[]) => {
    for (const { detector, event, finding } of joinEpisodes(findings, episodes, name => whichever.has(name))) {
      if (!whichever.has(detector)) for (const seq of [event.chain_seq, ...finding.seqs]) linked.add(seq);
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
  };
  for (let start = 0; start < events.length; start += RANGE) {
    const part = events.slice(start, start + RANGE);
    const judged = judge(part, range, active, { ...conduct, late });
    for (const [agent_id, { events: count, received_at }] of judged.late) {
      const is_new = received_at - (began.get(agent_id) ?? -Infinity) > HOUR && !filled.has(agent_id);
      if (is_new) began.set(agent_id, received_at);
      late.set(agent_id, (is_new ? 0 : (late.get(agent_id) ?? 0)) + count);
      if ((late.get(agent_id) ?? 0) > MOST_STRAYS) filled.add(agent_id);
    }
    tell(judged.findings);
  }
  const of_conduct = active.filter(({ detector }) => !detector.of_payment_alone);
  for (let start = 0; start < filled.size; start += MOST_AGENTS) {
    const agents = new Set([...filled].slice(start, start + MOST_AGENTS));
    const own = events
      .filter(({ agent_id }) => agents.has(agent_id))
      .toSorted((a, b) => a.occurred_at - b.occurred_at || a.chain_seq - b.chain_seq);
    const before = { ...rangeOf(log, own), as_it_happened: true as const };
    for (const [id, state] of before.payees.states) {
      const { starts = [], first_paid_at = null } = range.payees.states.get(id) ?? {};
      Object.assign(state, { starts: starts && [...starts], first_paid_at });
    }
    const { findings } = judge(own, before, of_conduct, { ...conduct, told: new Map() });
    const isAsked = ({ detector, event }: EventFinding) =>
      (events[event.chain_seq - 1]?.received_at ?? 0) >= (began.get(event.agent_id) ?? 0) - DAY &&
      (whichever.has(detector) || !linked.has(event.chain_seq));
    tell(findings.filter(isAsked));
  }
  return hits;
}

const rangeOf = ({ payees, purposes, categoryOf }: JudgedLog, events: readonly DetectionEvent[]) =>
  emptyRange(events, key => ({ ...payees.get(key), key }), categoryOf, purposes);

function judge(
  events: readonly DetectionEvent[],
  range: LoadedRange,
  active: readonly Active<Detector>[],
  measures: Parameters<typeof judgeRange>[4],
): RangeResult {
  const judged = judgeRange(events, range, () => noVerdict, active, measures);
  if (judged.failures.length > 0) throw new Error(`a detector threw: ${JSON.stringify(judged.failures[0])}`);
  return judged;
}
