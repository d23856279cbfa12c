import { formatDuration } from '#shared/values/time.ts';
import type { Purchase } from '#bin/demo/purchase.ts';
import { largest } from '#bin/demo/spending.ts';
import type { RoleName } from '#bin/demo/agent.ts';
import { knownSupplier, type Scenario, type Strength, timesWithin } from './scenario.ts';
import { payBy } from './usual_order.ts';

type Options = {
  befalls: RoleName;
  limit: 'payment.amount_range' | 'payment.approval_required';
  payments: number;
  within: number;
  /** The least and the most of what the limit is that is paid. */
  between: [number, number];
  strength?: Strength;
};

/** A sum that would not be allowed, or would have to be approved, is split into parts that need not. */
export const belowTheLimit = ({
  befalls,
  limit,
  payments,
  within,
  between,
  strength = 'strong',
}: Options): Scenario => ({
  name: 'Just below the limit',
  variant: `${payments} payments just below ${limit === 'payment.amount_range' ? 'the maximum' : 'what needs approval'} within ${formatDuration(within)}`,
  strength,
  befalls,
  detectors: ['just_under_limit', 'spend_velocity', 'amount_outlier'],
  lasts: within,
  mandate: ({ agent, usual }) => ({
    name: `${agent.name}: up to a limit`,
    constraints: [
      limit === 'payment.amount_range'
        ? { type: limit, max: String(limitOf(usual)), currency: currencyOf(usual) }
        : { type: limit, above: String(limitOf(usual)), currency: currencyOf(usual) },
    ],
  }),
  plant: ({ agent, at, usual, random }) =>
    timesWithin(at, payments, within, random).map((time): Purchase => {
      const amount = limitOf(usual) * random.between(...between);
      return payBy(agent)(agent, knownSupplier(agent, random).payee, amount, time, random);
    }),
});

/** A little more than what the agent has ever paid, in whole units. */
const limitOf = (usual: readonly Purchase[]) => Math.ceil((1.1 * largest(usual)) / 1_000) * 1_000;

const currencyOf = ([first]: readonly Purchase[]) => first?.amount.currency ?? '';
