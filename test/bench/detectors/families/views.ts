import { counts, type DetectionEvent } from '#shared/events/log/payment.ts';
import { DAY } from '#shared/values/time.ts';

/** A payment as the rivals see it: when it first counted, and how far it is from what its agent did before. */
export type Viewed = {
  event_id: string;
  agent_id: string;
  at: number;
  /** Deviations of the logarithm of the amount, and of what the agent spent in 24 hours, from their means so far. */
  z_amount: number;
  z_spend: number;
};

/** So many payments of the organization weigh against an agent's own. */
const WEIGHT = 20;
/** As broad as payments are before any is known: within a factor of seven of each other, mostly. */
const PRIOR_VARIANCE = 4;
/** Prices that never change would make anything infinitely strange. */
const LEAST_DEVIATION = 0.1;

export function viewed(events: readonly DetectionEvent[]): Viewed[] {
  const seen = new Set<string>();
  const organization = { amount: noMoments(), spend: noMoments() };
  const agents = new Map<string, Known>();
  const views: Viewed[] = [];
  for (const event of events.toSorted((a, b) => a.occurred_at - b.occurred_at || a.chain_seq - b.chain_seq)) {
    const { agent_id, payment_id, occurred_at: at, usd_micro } = event;
    const key = `${agent_id} ${payment_id}`;
    if (!counts(event.type) || usd_micro === null || usd_micro <= 0n || seen.has(key)) continue;
    seen.add(key);
    const agent = agents.get(agent_id) ?? { amount: noMoments(), spend: noMoments(), window: [], sum: 0 };
    agents.set(agent_id, agent);
    const usd = Number(usd_micro) / 1e6;
    agent.sum += usd;
    agent.window.push({ at, usd });
    while ((agent.window[0]?.at ?? at) <= at - DAY) agent.sum -= agent.window.shift()?.usd ?? 0;
    const [amount, spend] = [Math.log(usd), Math.log(Math.max(usd, agent.sum))];
    views.push({
      event_id: event.id,
      agent_id,
      at,
      z_amount: deviations(amount, agent.amount, organization.amount),
      z_spend: deviations(spend, agent.spend, organization.spend),
    });
    add(agent.amount, amount);
    add(agent.spend, spend);
    add(organization.amount, amount);
    add(organization.spend, spend);
  }
  return views;
}

type Known = { amount: Moments; spend: Moments; window: { at: number; usd: number }[]; sum: number };
type Moments = { count: number; mean: number; squares: number };

const noMoments = (): Moments => ({ count: 0, mean: 0, squares: 0 });

/** Welford's sums. Changes `moments`. */
function add(moments: Moments, value: number): void {
  moments.count += 1;
  const off = value - moments.mean;
  moments.mean += off / moments.count;
  moments.squares += off * (value - moments.mean);
}

/** From the agent's own mean, which together with its spread is drawn toward the organization's, and that toward a broad one. */
function deviations(value: number, own: Moments, all: Moments): number {
  if (all.count === 0) return 0;
  const of_all = (all.squares + WEIGHT * PRIOR_VARIANCE) / (all.count + WEIGHT);
  const mean = (own.count * own.mean + WEIGHT * all.mean) / (own.count + WEIGHT);
  const variance = (own.squares + WEIGHT * of_all) / (own.count + WEIGHT);
  return (value - mean) / Math.max(LEAST_DEVIATION, Math.sqrt(variance));
}
