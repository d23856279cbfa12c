import { aspectOf, FACTOR, leastFactor, mostFactor, rulesThatLearn } from '#shared/casework/lesson.ts';
import type { EventFinding } from '#shared/detection/model/detector.ts';
import { oneDecimal } from '#shared/detection/model/score.ts';
import type { DetectionEvent } from '#shared/events/log/payment.ts';
import { timesText } from '#shared/detection/model/wording.ts';
import type { Look } from './look.ts';

/** What was learned of an agent's conduct, for the agent (`factor`) and the other agents of its owner; see `Lesson`. */
export type Taught = {
  detector: string;
  /** Empty: whichever agent. */
  agent_id: string;
  owner_id: string;
  aspect: string;
  factor: number;
  peers_factor: number;
  dismissals: number;
  resolutions: number;
};

/**
 * What was learned of the agents of a range and of their peers: by agent, and by owner. `closed`: by agent, the payments (`payment_id`) of alerts
 * that people closed. `open`: those of alerts that nobody has closed.
 */
export type Lessons = {
  by_agent: ReadonlyMap<string, readonly Taught[]>;
  by_owner: ReadonlyMap<string, readonly Taught[]>;
  closed: ReadonlyMap<string, Closed>;
  open: ReadonlyMap<string, ReadonlySet<string>>;
};

/**
 * The payments of alerts that were resolved as justified, which are no part of what is usual for an agent, and of those that were dismissed, which
 * are usual from then on.
 */
export type Closed = { resolved: ReadonlySet<string>; dismissed: ReadonlySet<string> };

/** Where nobody has taught anything. */
export const noLessons: Lessons = { by_agent: new Map(), by_owner: new Map(), closed: new Map(), open: new Map() };

/** Lessons in the order in which looks ask for them. */
export const lessonsOf = (taught: readonly Taught[]): Pick<Lessons, 'by_agent' | 'by_owner'> => ({
  by_agent: Map.groupBy(taught, ({ agent_id }) => agent_id),
  by_owner: Map.groupBy(
    taught.filter(({ owner_id }) => owner_id !== ''),
    ({ owner_id }) => owner_id,
  ),
});

type Judged = Pick<DetectionEvent, 'agent_id' | 'owner_id' | 'occurred_at'>;
type Known = Pick<Lessons, 'by_agent' | 'by_owner'>;

/**
 * The looks with what people taught of the like of them: what was dismissed counts as more common, what was resolved as rarer, and for an
 * owner's other agents less so.
 */
export function applyLessons(looks: readonly Look[], event: Judged, lessons: Known): Look[] {
  return looks.map(look => {
    const taught = taughtOf(look.detector, () => look.tell().subject, event, lessons);
    if (!taught) return look;
    const { factor, lesson } = taught;
    return { ...look, expected: look.expected * factor, taught: factor, lesson };
  });
}

/**
 * What a rule found, with what people taught of the like of it: what they dismissed scores less, by 20 at most, and what they resolved more. Not
 * where much is at stake: what was fine for $40 says nothing of $40,000.
 */
export function withLessons(found: EventFinding, judged: Judged, lessons: Known): EventFinding {
  const { detector, finding } = found;
  const isSmall = (finding.counted?.spend_micro ?? 0n) < MUCH_MICRO;
  const learns = isSmall && rulesThatLearn.includes(detector);
  const taught = learns ? taughtOf(detector, () => finding.subject, judged, lessons) : null;
  if (!taught) return found;
  const points = Math.min(POINTS, (POINTS * Math.log(taught.factor)) / Math.log(FACTOR));
  const score = oneDecimal(Math.min(100, finding.score - points));
  return { ...found, finding: { ...finding, score, explanation: `${finding.explanation} ${taught.lesson}` } };
}

const POINTS = 20;
const MUCH_MICRO = 1_000_000_000n;

function taughtOf(
  detector: string,
  subjectOf: () => string,
  { agent_id, owner_id, occurred_at: at }: Judged,
  { by_agent, by_owner }: Known,
): { factor: number; lesson: string } | null {
  const ofDetector = (taught: Taught) => taught.detector === detector;
  const own = [...(by_agent.get(agent_id) ?? []), ...(by_agent.get('') ?? [])].filter(ofDetector);
  const peers = (by_owner.get(owner_id) ?? []).filter(taught => taught.agent_id !== agent_id && ofDetector(taught));
  if (own.length === 0 && peers.length === 0) return null;
  const aspect = aspectOf({ detector, subject: subjectOf(), at });
  const isAlike = (taught: Taught) => taught.aspect === aspect;
  const [ownAlike, peersAlike] = [own.filter(isAlike), peers.filter(isAlike)];
  const byPeers = peersAlike.reduce((all, { peers_factor }) => all * peers_factor, 1);
  const product =
    ownAlike.reduce((all, { factor }) => all * factor, 1) *
    Math.min(MOST_BY_PEERS, Math.max(1 / MOST_BY_PEERS, byPeers));
  const factor = Math.min(mostFactor, Math.max(leastFactor, product));
  if (Math.abs(factor - 1) < NEARLY) return null;
  return { factor, lesson: tellLesson(factor, ownAlike, peersAlike) };
}

/** However many peers there are, what they taught counts for no more than one lesson of the agent's own. */
const MOST_BY_PEERS = 3;

/** A third and three are rounded; together they change nothing. */
const NEARLY = 0.01;

/** What people made of its like, and what follows from it: a sentence. */
function tellLesson(factor: number, own: readonly Taught[], peers: readonly Taught[]): string {
  const parts = [...closedTexts(own, 'for this agent'), ...closedTexts(peers, 'for other agents of its owner')];
  const weight = factor > 1 ? `${timesText(factor)} times as common` : `${timesText(1 / factor)} times as rare`;
  return `People ${parts.join(', and ')}, so this counts as ${weight}.`;
}

function closedTexts(taught: readonly Taught[], whose: string): string[] {
  const sum = (which: 'dismissals' | 'resolutions') => taught.reduce((total, lesson) => total + lesson[which], 0);
  const text = (count: number, did: string) =>
    count === 0 ? [] : [`${did} ${count === 1 ? 'one similar alert' : `${count} similar alerts`} ${whose}`];
  return [...text(sum('dismissals'), 'dismissed'), ...text(sum('resolutions'), 'resolved')];
}
