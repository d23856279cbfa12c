import { formatDuration, HOUR, SECOND } from '#shared/values/time.ts';
import { courses, type Purchase } from '#bin/demo/purchase.ts';
import { apisOf, callOf } from '#bin/demo/roles/research.ts';
import type { RoleName } from '#bin/demo/agent.ts';
import { type Scenario, type Scene, type Strength, timesFrom } from './scenario.ts';
import { usualOrder } from './usual_order.ts';

type Options = { befalls: RoleName; gap: number; times: number; strength?: Strength };

/** The client gives up waiting, its retry pays again: the first payment had gone through after all. */
export const retryStorm = ({ befalls, gap, times, strength = 'strong' }: Options): Scenario => ({
  name: 'Retry storm',
  variant: `paid ${times === 2 ? 'twice' : `${times} times`}, ${formatDuration(gap)} apart`,
  strength,
  befalls,
  detectors: ['duplicate_payment', 'spend_velocity'],
  lasts: times * gap + HOUR,
  plant(scene) {
    const { at, random } = scene;
    const first = paymentOf(scene);
    const course = first.rail === 'x402' ? courses.x402(random) : courses.sepa(random);
    const again = (time: number, attempt: number): Purchase => ({
      ...first,
      at: time,
      course,
      context: { ...first.context, attempt },
    });
    return timesFrom(at, times, () => gap + random.between(0, 2 * SECOND)).map((time, index) => again(time, index + 1));
  },
});

function paymentOf(scene: Scene): Purchase {
  const { agent, at, market, random } = scene;
  const [api] = apisOf(agent, market.apis);
  return api ? callOf(agent, api, at, `run_${random.hex(8)}`, random) : usualOrder(scene);
}
