import { HOUR, MINUTE } from '#shared/values/time.ts';
import type { Api } from '#bin/demo/market.ts';
import { courses, type Purchase, usdc } from '#bin/demo/purchase.ts';
import type { Random } from '#bin/demo/random.ts';
import { localDays } from '#bin/demo/rhythm.ts';
import type { DemoAgent } from '#bin/demo/agent.ts';
import type { DemoRole } from '#bin/demo/role.ts';

/** Agents that buy the same data sets every day, each at its price. One of them has become dearer today, as was announced. */
export const feeds: DemoRole = {
  name: 'feeds',
  title: 'Report subscriber',
  count: 3,
  suppliers: market =>
    market.feeds.map(({ payee, endpoints }) => ({ payee, weight: 1, usual: endpoints[0]?.price ?? 0 })),
  work: (agent, span, random, market) =>
    market.feeds.flatMap((feed, index) => {
      const time = 5 * HOUR + random.int(0, 800) * MINUTE;
      return localDays(span, agent.owner)
        .slice(-DAYS * (agent.number + 4))
        .map(({ midnight }): Purchase => {
          const at = midnight + time + random.int(0, 9) * MINUTE;
          if (index > 0 || at < span.day) return reportOf(agent, feed, 1, at, random);
          return { ...reportOf(agent, feed, RISE, at, random), near_miss: 'price risen by 25 %' };
        });
    }),
};

/** They began one after the other, so many days apart; two or three weeks are enough to know them by. */
const DAYS = 3;
const RISE = 1.25;

/** One report of a feed, for so many times its price. */
export const reportOf = (
  agent: DemoAgent,
  { payee, origin, tool, endpoints: [endpoint] }: Api,
  times: number,
  at: number,
  random: Random,
): Purchase => ({
  agent,
  payee,
  rail: 'x402',
  amount: usdc((endpoint?.price ?? 0) * times),
  at,
  course: courses.x402(random),
  resource_url: `${origin}${endpoint?.path}`,
  context: { run_id: `reports_${random.hex(8)}`, tool_name: tool, tool_call_id: `call_${random.hex(16)}`, attempt: 1 },
});
