import { formatDuration, SECOND } from '#shared/values/time.ts';
import { courses, type Purchase } from '#bin/demo/purchase.ts';
import { apisOf, callOf } from '#bin/demo/roles/research.ts';
import type { RoleName } from '#bin/demo/agent.ts';
import { type Scenario, type Strength, timesFrom } from './scenario.ts';

type Options = {
  befalls: RoleName;
  calls: number;
  /** Milliseconds between two calls, give or take a quarter. */
  every: number;
  ends: 'settled' | 'failed';
  /** The client says which attempt it is, and waits now shorter, now longer. */
  counts_attempts?: boolean;
  strength?: Strength;
};

/** The agent does not see that it has its answer, and calls the same resource again and again. */
export const runawayLoop = ({
  befalls,
  calls,
  every,
  ends,
  counts_attempts = false,
  strength = 'strong',
}: Options): Scenario => ({
  name: 'Runaway loop',
  variant: `${calls} calls, one every ${formatDuration(every)}, ${ends === 'failed' ? 'all fail' : counts_attempts ? 'attempts counted' : 'all paid'}`,
  strength,
  befalls,
  detectors: ['runaway_loop', 'velocity_count', ...(ends === 'failed' ? ['failed_payment_burst'] : [])],
  lasts: 2 * calls * every,
  plant({ agent, at, market, random }) {
    const [api] = apisOf(agent, market.apis);
    if (!api) return [];
    const first = callOf(agent, api, at, `run_${random.hex(8)}`, random);
    const unevenness = counts_attempts ? 0.6 : 0.25;
    const gap = () => every * random.between(1 - unevenness, 1 + unevenness);
    const again = (time: number, attempt: number): Purchase => ({
      ...first,
      at: time,
      course:
        ends === 'failed'
          ? courses.failed('settle_failed', 'The facilitator answered 402 again.', 0.7 * SECOND)
          : courses.x402(random),
      context: { ...first.context, tool_call_id: `call_${random.hex(16)}`, attempt },
    });
    return timesFrom(at, calls, gap).map((time, index) => again(time, counts_attempts ? index + 1 : 1));
  },
});
