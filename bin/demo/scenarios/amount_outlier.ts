import { HOUR } from '#shared/values/time.ts';
import { courses } from '#bin/demo/purchase.ts';
import { largest } from '#bin/demo/spending.ts';
import type { RoleName } from '#bin/demo/agent.ts';
import { knownSupplier, type Scenario, type Strength } from './scenario.ts';
import { payBy } from './usual_order.ts';

type Options = { befalls: RoleName; times_dearest: number; strength?: Strength };

/** One payment to a payee the agent knows, many times the dearest it has made: a slipped digit, a hundred boxes for one. */
export const amountOutlier = ({ befalls, times_dearest, strength = 'strong' }: Options): Scenario => ({
  name: 'Amount outlier',
  variant: `${times_dearest} times the dearest payment so far`,
  strength,
  befalls,
  detectors: ['amount_outlier', 'spend_velocity'],
  lasts: HOUR,
  plant({ agent, at, random, usual }) {
    const amount = largest(usual) * times_dearest * random.between(0.95, 1.05);
    const { payee } = knownSupplier(agent, random);
    return [{ ...payBy(agent)(agent, payee, amount, at, random), course: courses.sepa(random) }];
  },
});
