import { HOUR } from '#shared/values/time.ts';
import type { RoleName } from '#bin/demo/agent.ts';
import { type Scenario, type Strength, usualOf } from './scenario.ts';
import { payBy, stranger } from './usual_order.ts';

type Options = { befalls: RoleName; times_usual: number; strength?: Strength };

/** The first payment to somebody the agent has never paid, and a large one at once. */
export const newExpensivePayee = ({ befalls, times_usual, strength = 'strong' }: Options): Scenario => ({
  name: 'New expensive payee',
  variant: `first payment is ${times_usual} times the usual`,
  strength,
  befalls,
  detectors: ['new_payee_high_amount', 'amount_outlier', 'spend_velocity'],
  lasts: HOUR,
  plant(scene) {
    const { agent, at, random } = scene;
    const amount = usualOf(agent) * times_usual * random.between(0.9, 1.1);
    return [payBy(agent)(agent, stranger(scene, 'Luxe Gifts'), amount, at, random)];
  },
});
