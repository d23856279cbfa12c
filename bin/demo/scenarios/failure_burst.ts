import { formatDuration, SECOND } from '#shared/values/time.ts';
import { courses, type Purchase } from '#bin/demo/purchase.ts';
import { apisOf, callOf } from '#bin/demo/roles/research.ts';
import type { RoleName } from '#bin/demo/agent.ts';
import { type Scenario, type Scene, type Strength, timesFrom } from './scenario.ts';
import { usualOrder } from './usual_order.ts';

type Options = { befalls: RoleName; failed: number; paid: number; within: number; strength?: Strength };

/** Payments fail one after the other: an empty wallet, a blocked card, or somebody who tries out card numbers. */
export const failureBurst = ({ befalls, failed, paid, within, strength = 'strong' }: Options): Scenario => ({
  name: 'Burst of failures',
  variant: `${failed} of ${failed + paid} fail within ${formatDuration(within)}`,
  strength,
  befalls,
  detectors: ['failed_payment_burst'],
  lasts: 2 * within,
  plant(scene) {
    const { at, random } = scene;
    const count = failed + paid;
    const fails = random.shuffled(Array.from({ length: count }, (_, index) => index < failed));
    const gap = () => (within / count) * random.between(0.4, 1);
    return timesFrom(at, count, gap).map((time, index) => {
      const payment = paymentOf({ ...scene, at: time });
      return fails[index] ? failing(payment) : payment;
    });
  },
});

const failing = (payment: Purchase): Purchase => ({
  ...payment,
  course: courses.failed('insufficient_funds', 'There is not enough money to pay this.', 0.8 * SECOND),
});

function paymentOf({ agent, at, market, random }: Scene): Purchase {
  const apis = apisOf(agent, market.apis);
  if (apis.length > 0) return callOf(agent, random.pick(apis), at, `run_${random.hex(8)}`, random);
  return usualOrder({ agent, at, random });
}
