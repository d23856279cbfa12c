import { formatDuration } from '#shared/values/time.ts';
import { orderOf } from '#bin/demo/roles/procurement.ts';
import type { RoleName } from '#bin/demo/agent.ts';
import { knownSupplier, type Scenario, type Strength, timesFrom, usualOf } from './scenario.ts';

type Options = { befalls: RoleName; orders: number; times_usual: number; within: number; strength?: Strength };

/** Purchase after purchase at payees the agent knows, none of them out of all proportion, but far too much together. */
export const spendingSpree = ({ befalls, orders, times_usual, within, strength = 'strong' }: Options): Scenario => ({
  name: 'Spending spree',
  variant: `${orders} orders of ${times_usual} times the usual within ${formatDuration(within)}`,
  strength,
  befalls,
  detectors: ['spend_velocity', 'amount_outlier'],
  lasts: within,
  plant: ({ agent, at, random }) =>
    timesFrom(at, orders, () => (within / orders) * random.between(0.6, 1.1)).map(time => {
      const amount = usualOf(agent) * times_usual * random.between(0.8, 1.2);
      return orderOf(agent, knownSupplier(agent, random).payee, amount, time, random);
    }),
});
