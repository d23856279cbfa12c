import { HOUR } from '#shared/time.ts';
import { courses } from '../purchase.ts';
import { orderOf } from '../roles/procurement.ts';
import { transferOf } from '../roles/treasury.ts';
import type { RoleName } from '../world.ts';
import { type Scenario, usualOf } from './scenario.ts';

type Options = { befalls: RoleName; times_usual: number };

/** One payment to a payee the agent knows, many times what it usually pays: a slipped digit, a hundred boxes for one. */
export const amountOutlier = ({ befalls, times_usual }: Options): Scenario => ({
  name: 'Amount outlier',
  variant: `${times_usual} times the usual amount`,
  befalls,
  detectors: ['amount_outlier', 'spend_velocity'],
  lasts: HOUR,
  plant({ agent, at, random }) {
    const { payee } = random.pick(agent.suppliers.filter(({ newcomer }) => !newcomer));
    const amount = usualOf(agent) * times_usual * random.between(0.95, 1.05);
    const pay = agent.role === 'treasury' ? transferOf : orderOf;
    return [{ ...pay(agent, payee, amount, at, random), course: courses.sepa(random) }];
  },
});
