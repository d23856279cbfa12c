import { formatDuration, HOUR, SECOND } from '#shared/time.ts';
import { courses, type Purchase } from '../purchase.ts';
import { orderOf } from '../roles/procurement.ts';
import { apisOf, callOf } from '../roles/research.ts';
import { transferOf } from '../roles/treasury.ts';
import type { RoleName } from '../world.ts';
import { type Scenario, type Scene, timesFrom, usualOf } from './scenario.ts';

type Options = { befalls: RoleName; gap: number; times: number };

/** The client gives up waiting, its retry pays again: the first payment had gone through after all. */
export const retryStorm = ({ befalls, gap, times }: Options): Scenario => ({
  name: 'Retry storm',
  variant: `paid ${times === 2 ? 'twice' : `${times} times`}, ${formatDuration(gap)} apart`,
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

function paymentOf({ agent, at, market, random }: Scene): Purchase {
  const [api] = apisOf(agent, market.apis);
  if (api) return callOf(agent, api, at, `run_${random.hex(8)}`, random);
  const { payee } = random.pick(agent.suppliers.filter(({ newcomer }) => !newcomer));
  const amount = usualOf(agent) * random.between(0.9, 1.2);
  return agent.role === 'treasury'
    ? transferOf(agent, payee, amount, at, random)
    : orderOf(agent, payee, amount, at, random);
}
