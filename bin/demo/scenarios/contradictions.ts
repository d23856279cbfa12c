import { formatDuration, HOUR, MINUTE, SECOND } from '#shared/values/time.ts';
import type { PurchaseStep } from '#bin/demo/purchase.ts';
import { processor } from '#bin/demo/sources.ts';
import type { RoleName } from '#bin/demo/agent.ts';
import type { Scenario, Strength } from './scenario.ts';
import { usualOrder } from './usual_order.ts';

type Options = { befalls: RoleName; strength?: Strength };

/** Settled, and afterwards not: a transfer that came back, or a report that was wrong. */
export const undoneLater = ({
  type,
  after,
  ...options
}: Options & { type: 'payment.failed' | 'payment.canceled'; after: number }): Scenario => ({
  ...about(`settled, ${formatDuration(after)} later ${type === 'payment.failed' ? 'failed' : 'canceled'}`, options),
  lasts: after + HOUR,
  plant(scene) {
    const undone: PurchaseStep = {
      type,
      after: after + SECOND,
      ...(type === 'payment.failed' && { failure: returned }),
    };
    const order = usualOrder(scene);
    return [{ ...order, course: [...paid, undone] }];
  },
});

const returned = { code: 'returned', message: 'The payment was returned.' };

/** Two settlements of one payment, for two amounts. */
export const settledForTwoAmounts = (options: Options): Scenario => ({
  ...about('settled twice, for two amounts', options),
  lasts: HOUR,
  plant(scene) {
    const order = usualOrder(scene);
    const less = { ...order.amount, value: String(Math.round(Number(order.amount.value) * 0.8)) };
    return [{ ...order, course: [...paid, { type: 'payment.settled', after: 9 * MINUTE, amount: less }] }];
  },
});

/** The agent says that it paid, the processor that it did not. `first`: who reports first. */
export const sourcesDisagree = ({ first, ...options }: Options & { first: 'agent' | 'processor' }): Scenario => ({
  ...about(`settled says the agent, failed the processor, ${first} first`, options),
  lasts: HOUR,
  plant(scene) {
    const order = usualOrder(scene);
    return [{ ...order, course: disagreeing[first] }];
  },
});

const about = (variant: string, { befalls, strength = 'strong' }: Options) => ({
  name: 'Contradicting reports',
  variant,
  strength,
  befalls,
  detectors: ['status_conflict'],
});

const paid: PurchaseStep[] = [
  { type: 'payment.authorized', after: 0 },
  { type: 'payment.settled', after: SECOND },
];

const settled = (after: number): PurchaseStep => ({ type: 'payment.settled', after });
const failed = (after: number): PurchaseStep => ({
  type: 'payment.failed',
  after,
  source_id: processor.id,
  failure: { code: 'do_not_honor', message: 'The issuer declined the payment.' },
});

const disagreeing = {
  agent: [settled(0), failed(3 * MINUTE)],
  processor: [failed(0), settled(2 * MINUTE)],
};
