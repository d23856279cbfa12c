import { HOUR } from '#shared/values/time.ts';
import type { RoleName } from '#bin/demo/agent.ts';
import { type Scenario, type Strength, usualOf } from './scenario.ts';
import { payBy, stranger } from './usual_order.ts';

type Options = { befalls: RoleName; country: string; what: string; strength?: Strength };

/** Money goes to a country where the agent has never paid anybody. */
export const newCountry = ({ befalls, country, what, strength = 'strong' }: Options): Scenario => ({
  name: 'New country',
  variant: what,
  strength,
  befalls,
  detectors: ['country_change', 'new_payee_high_amount', 'spend_velocity'],
  lasts: HOUR,
  plant(scene) {
    const { agent, at, random } = scene;
    const amount = usualOf(agent) * random.between(0.5, 0.9);
    return [payBy(agent)(agent, stranger(scene, 'Northern Star', country), amount, at, random)];
  },
});
