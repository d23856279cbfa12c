import type { DetectionEvent } from '#shared/events/log/payment.ts';
import { isWorse, type Weight, weightOf } from '#shared/detection/model/counted.ts';
import type { Finding } from '#shared/detection/model/detector.ts';

type FoundEvent = Pick<DetectionEvent, 'id' | 'agent_id' | 'payee_id' | 'occurred_at'>;

/** The worst finding of a would-be alert, with its event, and how many findings it had. */
export type SampleAlert = { event: FoundEvent; finding: Finding; hits: number };

/** Counts would-be alerts, and keeps those with the highest scores. */
export type BacktestTally = {
  add(event: FoundEvent, finding: Finding): void;
  findings(): number;
  /** Best first. */
  best(): SampleAlert[];
};

type Options = {
  /** In milliseconds. */
  cooldown: number;
  whichever_agent: boolean;
  most_shown: number;
};

type Group = Weight & {
  hits: number;
  /** The times of its earliest and latest findings. */
  first_at: number;
  last_at: number;
  shown: { event: FoundEvent; finding: Finding } | null;
};

/** Agents and subjects remembered; beyond that the oldest are forgotten, and count again when they recur. */
const MOST_GROUPS = 100_000;

/**
 * Findings of one agent and subject (or one subject, `whichever_agent`) are one alert as long as each is within `cooldown` of another: when
 * people would have closed it is unknown.
 */
export function createTally({ cooldown, whichever_agent, most_shown }: Options): BacktestTally {
  const groups = new Map<string, Group>();
  const best: Group[] = [];
  let findings = 0;
  const rank = (group: Group, event: FoundEvent, finding: Finding) => {
    Object.assign(group, weightOf(finding));
    const least = best[most_shown - 1];
    if (!group.shown && least && group.score <= least.score) return;
    if (!group.shown) best.push(group);
    group.shown = { event, finding };
    best.sort((a, b) => b.score - a.score);
    const dropped = best.length > most_shown ? best.pop() : undefined;
    if (dropped) dropped.shown = null;
  };
  return {
    add(event, finding) {
      const key = `${whichever_agent ? '' : event.agent_id} ${finding.subject}`;
      const latest = groups.get(key);
      const at = event.occurred_at;
      const joins = latest && at <= latest.last_at + cooldown && at >= latest.first_at - cooldown;
      const group = joins ? latest : { score: -1, payments: 0, hits: 0, first_at: at, last_at: at, shown: null };
      if (!joins) findings += 1;
      group.hits += 1;
      group.first_at = Math.min(group.first_at, at);
      group.last_at = Math.max(group.last_at, at);
      if (isWorse(finding, group)) rank(group, event, finding);
      groups.delete(key);
      groups.set(key, group);
      const [oldest] = groups.keys();
      if (groups.size > MOST_GROUPS && oldest !== undefined) groups.delete(oldest);
    },
    findings: () => findings,
    best: () => best.flatMap(({ shown, hits }) => (shown ? [{ ...shown, hits }] : [])),
  };
}
