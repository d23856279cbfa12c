import { SpendParams, spendVelocity } from '#shared/detection/detectors/spend_velocity.ts';
import { VelocityParams, velocityCount } from '#shared/detection/detectors/velocity_count.ts';
import type { Catalogued } from './detector.ts';
import { microUsd } from './params.ts';
import type { Active } from '#shared/detection/settings/detector_settings.ts';

/** From how many payments of an agent in a minute or an hour, or above how much spending, a detector asks for the agent's baseline. */
export type Needs = { per_minute: number; per_hour: number; spend_micro: bigint };

/** The least thresholds of those that judge; where none of them asks for baselines, nothing reaches them. */
export function needsOf(active: readonly Pick<Active<Catalogued>, 'detector' | 'params'>[]): Needs {
  const paramsOf = (name: string) => active.find(({ detector }) => detector.name === name)?.params;
  const [counted, spent] = [paramsOf(velocityCount.name), paramsOf(spendVelocity.name)];
  const velocity = counted && VelocityParams.parse(counted);
  const spend = spent && SpendParams.parse(spent);
  return {
    per_minute: velocity?.per_minute ?? Infinity,
    per_hour: velocity?.per_hour ?? Infinity,
    spend_micro: spend ? leastOf(microUsd(spend.hour_floor_usd), microUsd(spend.day_floor_usd)) : NEVER,
  };
}

const leastOf = (a: bigint, b: bigint) => (a < b ? a : b);

/** More than any sum of amounts that fit 8 bytes. */
const NEVER = 2n ** 127n;

/** Of the detectors as they are before anybody sets them. */
export const usualNeeds: Needs = needsOf(
  [velocityCount, spendVelocity].map(detector => ({ detector, params: detector.params.parse({}) })),
);
