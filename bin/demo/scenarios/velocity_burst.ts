import { formatDuration } from '#shared/values/time.ts';
import { apisOf, callOf } from '#bin/demo/roles/research.ts';
import type { RoleName } from '#bin/demo/agent.ts';
import { type Scenario, type Strength, timesFrom } from './scenario.ts';

type Options = { befalls: RoleName; calls: number; within: number; strength?: Strength };

/** A task splits into far too many: call after call, each of another resource. */
export const velocityBurst = ({ befalls, calls, within, strength = 'strong' }: Options): Scenario => ({
  name: 'Velocity burst',
  variant: `${calls} calls within ${formatDuration(within)}`,
  strength,
  befalls,
  detectors: ['velocity_count'],
  lasts: within,
  plant({ agent, at, market, random }) {
    const apis = apisOf(agent, market.apis);
    const run_id = `run_${random.hex(8)}`;
    const gap = () => (within / calls) * random.between(0.3, 1.6);
    return timesFrom(at, calls, gap).map(time => callOf(agent, random.weighted(apis), time, run_id, random));
  },
});
