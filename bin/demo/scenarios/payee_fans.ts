import { formatDuration } from '#shared/values/time.ts';
import type { DemoPayee } from '#bin/demo/market.ts';
import { courses, type Purchase, usdc } from '#bin/demo/purchase.ts';
import type { Random } from '#bin/demo/random.ts';
import { orderOf } from '#bin/demo/roles/procurement.ts';
import type { DemoAgent, RoleName } from '#bin/demo/agent.ts';
import { type Scenario, type Strength, timesWithin, usualOf } from './scenario.ts';
import { payBy, stranger } from './usual_order.ts';

type FanOut = { befalls: RoleName; payees: number; within: number; strength?: Strength };

/** Money is spread over many whom the agent has never paid, a little to each. */
export const fanOut = ({ befalls, payees, within, strength = 'strong' }: FanOut): Scenario => ({
  name: 'Many new payees',
  variant: `${payees} new payees within ${formatDuration(within)}`,
  strength,
  befalls,
  detectors: ['payee_fan_out', 'spend_velocity', 'new_payee_high_amount'],
  lasts: within,
  plant(scene) {
    const { agent, at, random } = scene;
    return timesWithin(at, payees, within, random).map((time): Purchase => {
      const payee = stranger(scene, random.pick(trades));
      return payBy(agent)(agent, payee, usualOf(agent) * random.between(0.2, 0.4), time, random);
    });
  },
});

const trades = ['Consulting', 'Trading', 'Import', 'Services', 'Media', 'Logistics'];

type FanIn = { agents: [RoleName, ...RoleName[]]; within: number; strength?: Strength };

/** Agents that have nothing to do with each other begin to pay one payee that nobody knew: an instruction that all of them have read. */
export const fanIn = ({ agents: [befalls, ...others], within, strength = 'strong' }: FanIn): Scenario => ({
  name: 'New payee of many agents',
  variant: `${others.length + 1} agents begin to pay it within ${formatDuration(within)}`,
  strength,
  befalls,
  others,
  detectors: ['payee_fan_in'],
  lasts: within,
  plant(scene) {
    const { agent, others, at, market, random } = scene;
    const agents = [agent, ...others];
    const shop = stranger(scene, 'Token Refill', 'DE');
    const api = market.newApi(random);
    return timesWithin(at, agents.length, within, random).flatMap((time, index): Purchase[] => {
      const payer = agents[index];
      if (!payer) return [];
      const amount = usualOf(payer) * random.between(0.5, 1);
      return [
        paysInTokens(payer) ? callOfNew(payer, api, amount, time, random) : orderOf(payer, shop, amount, time, random),
      ];
    });
  },
});

const paysInTokens = ({ role }: DemoAgent) =>
  role === 'research' || role === 'watcher' || role === 'feeds' || role === 'batch';

const callOfNew = (agent: DemoAgent, payee: DemoPayee, micro: number, at: number, random: Random): Purchase => ({
  agent,
  payee,
  rail: 'x402',
  amount: usdc(micro),
  at,
  course: courses.x402(random),
  description: 'Access token',
});
