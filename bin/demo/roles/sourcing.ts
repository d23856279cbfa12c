import { HOUR, SECOND } from '#shared/values/time.ts';
import type { DemoRole } from '#bin/demo/role.ts';
import { localDays } from '#bin/demo/rhythm.ts';
import { orderOf } from './procurement.ts';

/** An agent that orders samples from a dozen sellers a day whom nobody has bought from before: that is its job. */
export const sourcing: DemoRole = {
  name: 'sourcing',
  title: 'Sample buyer',
  count: 1,
  suppliers: () => [],
  work: (agent, span, random, market) =>
    localDays(span, agent.owner)
      .slice(-DAYS)
      .flatMap(({ midnight }) =>
        Array.from({ length: random.int(10, 13) }, () => {
          const seller = market.newMerchant(`Market stall ${random.digits(9)}`, agent.owner.country, random);
          const at = midnight + Math.round(random.between(8 * HOUR, 18 * HOUR));
          const sample = orderOf(agent, seller, random.logNormal(1_800, 0.3, 2), at, random);
          const paid = { type: 'payment.settled' as const, after: random.int(1, 4) * SECOND };
          return { ...sample, course: [paid], near_miss: 'a dozen new sellers a day' as const };
        }),
      ),
};

/** So many days are enough to know the agent by. */
const DAYS = 12;
