import { formatDuration } from '#shared/time.ts';
import { orderOf } from '../roles/procurement.ts';
import type { RoleName } from '../world.ts';
import { type Scenario, timesFrom, usualOf } from './scenario.ts';

type Options = { befalls: RoleName; orders: number; times_usual: number; within: number };

/** Purchase after purchase at payees the agent knows, none of them out of all proportion, but far too much together. */
export const spendingSpree = ({ befalls, orders, times_usual, within }: Options): Scenario => ({
  name: 'Spending spree',
  variant: `${orders} orders of ${times_usual} times the usual within ${formatDuration(within)}`,
  befalls,
  detectors: ['spend_velocity', 'amount_outlier'],
  lasts: within,
  plant: ({ agent, at, random }) =>
    timesFrom(at, orders, () => (within / orders) * random.between(0.6, 1.1)).map(time => {
      const { payee } = random.pick(agent.suppliers.filter(({ newcomer }) => !newcomer));
      return orderOf(agent, payee, usualOf(agent) * times_usual * random.between(0.8, 1.2), time, random);
    }),
});
