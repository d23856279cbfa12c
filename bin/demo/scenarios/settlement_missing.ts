import { DAY, formatDuration, HOUR, MINUTE } from '#shared/values/time.ts';
import type { PurchaseStep } from '#bin/demo/purchase.ts';
import { apisOf, callOf } from '#bin/demo/roles/research.ts';
import type { RoleName } from '#bin/demo/agent.ts';
import type { Scenario } from './scenario.ts';
import { usualOrder } from './usual_order.ts';

const never: PurchaseStep[] = [{ type: 'payment.authorized', after: 0 }];
const name = 'Settlement missing';

/** The wallet has signed, and nobody ever says what became of it. `calls`: so many at once. */
export const unsettledCalls = ({ calls }: { calls: number }): Scenario => ({
  name,
  variant: `${calls === 1 ? 'a call' : `${calls} calls`} authorized over x402, never settled`,
  strength: 'strong',
  befalls: 'research',
  detectors: ['settlement_missing'],
  lasts: HOUR,
  // Early in the day: it takes a while until it is known.
  suits: (at, _agent, { day }) => at < day + 14 * HOUR,
  plant({ agent, at, market, random }) {
    const [api] = apisOf(agent, market.apis);
    if (!api) return [];
    const run = `run_${random.hex(8)}`;
    return Array.from({ length: calls }, (_, index) => ({
      ...callOf(agent, api, at + index * MINUTE, run, random),
      course: never,
    }));
  },
});

/** An order that the shop never captures; its time is up within the day. */
export const uncapturedOrder = ({ befalls }: { befalls: RoleName }): Scenario => ({
  name,
  variant: `an order authorized by card ${formatDuration(HOLD)} ago`,
  strength: 'strong',
  befalls,
  detectors: ['settlement_missing'],
  lasts: HOUR,
  plant: ({ agent, at, random }) => [{ ...usualOrder({ agent, at: at - HOLD, random }), course: never }],
});

/** How long a card authorization holds. */
const HOLD = 8 * DAY;
