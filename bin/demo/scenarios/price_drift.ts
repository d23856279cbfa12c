import { HOUR, SECOND } from '#shared/values/time.ts';
import type { Purchase, PurchaseStep } from '#bin/demo/purchase.ts';
import { reportOf } from '#bin/demo/roles/feeds.ts';
import type { RoleName } from '#bin/demo/agent.ts';
import type { Scenario, Strength } from './scenario.ts';
import { usualOrder } from './usual_order.ts';

type Drift = { times: number; strength?: Strength };

/** What cost the same for weeks costs more, and nobody has said so. */
export const priceDrift = ({ times, strength = 'strong' }: Drift): Scenario => ({
  name: 'Price drift',
  variant: `${times} times what the same report has cost so far`,
  strength,
  befalls: 'feeds',
  detectors: ['price_drift', 'amount_outlier'],
  lasts: HOUR,
  plant({ agent, at, market, random }) {
    const [, feed] = market.feeds;
    return feed ? [reportOf(agent, feed, times, at, random)] : [];
  },
});

type Overcharge = { befalls: RoleName; more: 'a cent' | number; strength?: Strength };

/** What is taken in the end is more than the agent had agreed to: a cent, or a part of the whole. */
export const overcharge = ({ befalls, more, strength = 'strong' }: Overcharge): Scenario => ({
  name: 'Overcharge',
  variant: `settled for ${more === 'a cent' ? more : `${more * 100} %`} more than authorized`,
  strength,
  befalls,
  detectors: ['price_drift', 'status_conflict'],
  lasts: HOUR,
  plant(scene) {
    const order = usualOrder(scene);
    const agreed = Number(order.amount.value);
    const taken = more === 'a cent' ? agreed + 1 : Math.round(agreed * (1 + more));
    return [{ ...order, course: [authorized, settledFor(order, taken)] }];
  },
});

const authorized: PurchaseStep = { type: 'payment.authorized', after: 0 };

const settledFor = ({ amount }: Purchase, value: number): PurchaseStep => ({
  type: 'payment.settled',
  after: 40 * SECOND,
  amount: { ...amount, value: String(value) },
});
