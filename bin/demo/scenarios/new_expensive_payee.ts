import { HOUR } from '#shared/time.ts';
import { orderOf } from '../roles/procurement.ts';
import { transferOf } from '../roles/treasury.ts';
import type { RoleName } from '../world.ts';
import { type Scenario, usualOf } from './scenario.ts';

type Options = { befalls: RoleName; times_usual: number };

/** The first payment to somebody the agent has never paid, and a large one at once. */
export const newExpensivePayee = ({ befalls, times_usual }: Options): Scenario => ({
  name: 'New expensive payee',
  variant: `first payment is ${times_usual} times the usual`,
  befalls,
  detectors: ['new_payee_high_amount', 'amount_outlier', 'spend_velocity'],
  lasts: HOUR,
  plant({ agent, at, market, random }) {
    const amount = usualOf(agent) * times_usual * random.between(0.9, 1.1);
    return agent.role === 'treasury'
      ? [transferOf(agent, market.newAccount('Meridian Trade Partners', 'ES', random), amount, at, random)]
      : [orderOf(agent, market.newMerchant('Luxe Giftcards Direct', 'GB', random), amount, at, random)];
  },
});
