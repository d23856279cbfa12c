import { SECOND } from '#shared/values/time.ts';
import type { Api } from '#bin/demo/market.ts';
import { courses, type Purchase, usdc } from '#bin/demo/purchase.ts';
import type { Random } from '#bin/demo/random.ts';
import { howMany, localDays, wakingTimes } from '#bin/demo/rhythm.ts';
import type { DemoAgent } from '#bin/demo/agent.ts';
import type { DemoRole } from '#bin/demo/role.ts';

/** Agents that look things up: questions come in, each makes a run of micro-payments to metered APIs over x402. */
export const research: DemoRole = {
  name: 'research',
  title: 'Research agent',
  count: 12,
  suppliers: (market, _owner, random) =>
    random
      .shuffled(market.apis)
      .slice(0, random.int(3, 5))
      .map(({ payee, endpoints }) => ({ payee, weight: random.between(0.3, 1), usual: endpoints[0]?.price ?? 0 })),
  work(agent, span, random, market) {
    const apis = apisOf(agent, market.apis);
    return localDays(span, agent.owner).flatMap(day => {
      const times = wakingTimes(day, howMany(day.working ? 17 : 13, random), random);
      // The days before the day are thinner: enough to know the agent by, not more.
      const isKept = (day.index + agent.number) % KEPT_EVERY === 0;
      const kept = times.filter((at, index) => at >= span.day || (isKept && index === 0));
      return kept.flatMap(at => runOf(agent, apis, at, random.int(4, 22), random));
    });
  },
};

/** Of the days of history, one in six has a run. */
const KEPT_EVERY = 6;

/** The APIs an agent calls, each as often as its weight says; none for agents that pay otherwise. */
export const apisOf = ({ suppliers }: DemoAgent, apis: readonly Api[]): (Api & { weight: number })[] =>
  suppliers.flatMap(({ payee, weight }) => {
    const api = apis.find(known => known.payee === payee);
    return api ? [{ ...api, weight }] : [];
  });

/** One run: so many calls, some seconds apart, each of another resource. One that fails is tried again, and paid once. */
function runOf(
  agent: DemoAgent,
  apis: ReturnType<typeof apisOf>,
  from: number,
  calls: number,
  random: Random,
): Purchase[] {
  const run_id = `run_${random.hex(8)}`;
  let at = from;
  return Array.from({ length: calls }).flatMap((): Purchase[] => {
    at += Math.round(1.5 * SECOND + random.exponential(8 * SECOND));
    const call = callOf(agent, random.weighted(apis), at, run_id, random);
    if (random.chance(0.002)) return [{ ...call, course: courses.slow(random), near_miss: 'settled minutes later' }];
    if (!random.chance(0.015)) return [call];
    const [code, message] = random.pick(faults);
    const near_miss = 'retry of a failed payment' as const;
    const again = { ...call, at: at + random.int(2, 9) * SECOND, context: { ...call.context, attempt: 2 }, near_miss };
    return [{ ...call, course: courses.failed(code, message, 600), near_miss }, again];
  });
}

const faults = [
  ['insufficient_funds', 'The wallet holds less than the price.'],
  ['invalid_transaction_state', 'The facilitator could not settle: nonce too low.'],
  ['settle_timeout', 'No receipt from the facilitator within 30 s.'],
] as const;

/** A call of an API: a resource of its own, a tool call of its own. */
export function callOf(agent: DemoAgent, api: Api, at: number, run_id: string, random: Random): Purchase {
  const endpoint = random.pick(api.endpoints);
  return {
    agent,
    payee: api.payee,
    rail: 'x402',
    amount: usdc(endpoint.price),
    at,
    course: courses.x402(random),
    resource_url: `${api.origin}${endpoint.path}?q=${encodeURIComponent(topicOf(random))}`,
    context: { run_id, tool_name: api.tool, tool_call_id: `call_${random.hex(16)}`, attempt: 1 },
  };
}

const topicOf = (random: Random) => `${random.pick(places)} ${random.pick(topics)} ${random.int(1, 400)}`;
const places = ['Rotterdam', 'Lyon', 'Osaka', 'Leeds', 'Boston', 'Porto', 'Graz', 'Turku', 'Cork', 'Malmö'];
const topics = ['port fees', 'rainfall', 'tulip prices', 'rail strike', 'warehouse rents', 'GDP', 'tariffs', 'ferries'];
