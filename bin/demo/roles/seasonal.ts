import { DAY } from '#shared/values/time.ts';
import type { Purchase } from '#bin/demo/purchase.ts';
import type { Random } from '#bin/demo/random.ts';
import type { DemoAgent } from '#bin/demo/agent.ts';
import type { DemoRole } from '#bin/demo/role.ts';
import { orderOf } from './procurement.ts';

/** Agents that bought for one fair and have been silent ever since: their last order is fifty days ago. */
export const seasonal: DemoRole = {
  name: 'seasonal',
  title: 'Fair organizer',
  count: 2,
  suppliers: (market, _owner, random) =>
    random
      .shuffled(market.shops.slice(1))
      .slice(0, 4)
      .map(({ payee, usual }) => ({ payee, weight: 1, usual })),
  work: (agent, span, random) =>
    Array.from({ length: random.int(12, 16) }, () =>
      fairOrderOf(agent, span.to - Math.round(random.between(50 * DAY, 70 * DAY)), random),
    ),
};

/** An order as they make them. */
export function fairOrderOf(agent: DemoAgent, at: number, random: Random): Purchase {
  const { payee, usual } = random.weighted(agent.suppliers);
  return orderOf(agent, payee, random.logNormal(usual, 0.3, 2), at, random);
}
