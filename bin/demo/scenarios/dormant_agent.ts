import { formatDuration, HOUR } from '#shared/values/time.ts';
import { fairOrderOf } from '#bin/demo/roles/seasonal.ts';
import type { Scenario, Strength } from './scenario.ts';

type Options = { silent?: number; strength?: Strength };

/** An agent that everybody had forgotten pays again; somebody has found its key. `silent`: since when, if not for fifty days. */
export const dormantAgent = ({ silent, strength = 'strong' }: Options): Scenario => ({
  name: 'Dormant agent',
  variant: `pays again after ${silent ? formatDuration(silent) : 'some fifty days'} of silence`,
  strength,
  befalls: 'seasonal',
  // There is no hour of the last month to compare with either.
  detectors: ['dormant_agent', 'spend_velocity'],
  lasts: HOUR,
  before: ({ agent, at, random }) =>
    // Authorized and settled within a day and two hours.
    silent ? [fairOrderOf(agent, at - silent - 26 * HOUR, random)] : [],
  plant: ({ agent, at, random }) => [fairOrderOf(agent, at, random)],
});
