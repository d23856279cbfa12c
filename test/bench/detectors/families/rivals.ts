import type { DetectionEvent } from '#shared/events/log/payment.ts';
import { DAY } from '#shared/values/time.ts';
import type { Watched } from './tally.ts';
import { type Viewed, viewed } from './views.ts';

/** What a rival made of a world, ready to be asked what any threshold would have found. */
export type RivalTally = {
  rival: string;
  agent_months: number;
  /** The highest score of every agent and day that nothing was planted on or near. */
  ordinary: number[];
  planted: { strength: string; highest: number }[];
};

/** Gives each payment a number, the stranger the higher. It sees the payments in the order in which they occurred. */
type Rival = { name: string; scores: (payments: readonly Viewed[]) => number[] };

/** Statistics that a team would put up in a day. */
const rivals: Rival[] = [
  { name: 'z of ln amount', scores: payments => payments.map(({ z_amount }) => z_amount) },
  { name: 'z of ln 24 h spend', scores: payments => payments.map(({ z_spend }) => z_spend) },
  {
    name: 'the larger of both',
    scores: payments => payments.map(({ z_amount, z_spend }) => Math.max(z_amount, z_spend)),
  },
];

export function rivalsOf(world: Watched, events: readonly DetectionEvent[]): RivalTally[] {
  const payments = viewed(events);
  const labelOf = new Map(world.labels.flatMap(label => label.event_ids.map(id => [id, label] as const)));
  const agent_months = world.agents.reduce((sum, { from, to }) => sum + Math.max(0, to - from), 0) / (30 * DAY);
  const near = Map.groupBy(
    world.labels.flatMap(label => label.agents.map(agent => ({ agent, label }))),
    ({ agent }) => agent,
  );
  return rivals.map(({ name, scores }) => {
    const ordinary = new Map<string, number>();
    const planted = new Map(world.labels.map(label => [label, -Infinity]));
    for (const [index, score] of scores(payments).entries()) {
      const payment = payments[index];
      if (!payment || payment.at < world.counted_from) continue;
      const label = labelOf.get(payment.event_id);
      if (label) {
        planted.set(label, Math.max(score, planted.get(label) ?? -Infinity));
        continue;
      }
      const isNear = near
        .get(payment.agent_id)
        ?.some(({ label: { from, to } }) => payment.at >= from && payment.at <= to + DAY);
      if (isNear) continue;
      const key = `${payment.agent_id} ${Math.floor(payment.at / DAY)}`;
      ordinary.set(key, Math.max(score, ordinary.get(key) ?? -Infinity));
    }
    return {
      rival: name,
      agent_months,
      ordinary: [...ordinary.values()],
      planted: [...planted].map(([{ strength }, highest]) => ({ strength, highest })),
    };
  });
}

/**
 * What a rival finds at the threshold that would have kept it to the budget: chosen with hindsight, over all worlds, one false alarm an
 * agent and day. No rival could do better, because none knows its threshold beforehand.
 */
export function atBudget(tallies: readonly RivalTally[], budget: number) {
  const months = tallies.reduce((sum, { agent_months }) => sum + agent_months, 0);
  const allowed = Math.floor(budget * months);
  const highest = tallies.flatMap(({ ordinary }) => ordinary).toSorted((a, b) => b - a);
  const threshold = highest[allowed] ?? -Infinity;
  const planted = tallies.flatMap(tally => tally.planted);
  const foundOf = (strength: string) => {
    const list = planted.filter(each => each.strength === strength);
    return { found: list.filter(each => each.highest > threshold).length, planted: list.length };
  };
  return { strong: foundOf('strong'), weak: foundOf('weak'), realized: Math.min(allowed, highest.length) / months };
}
