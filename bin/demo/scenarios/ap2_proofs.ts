import { HOUR, MINUTE } from '#shared/values/time.ts';
import { withAp2 } from '#bin/demo/proofs/proven.ts';
import { orderOf } from '#bin/demo/roles/procurement.ts';
import type { RoleName } from '#bin/demo/agent.ts';
import type { Scenario } from './scenario.ts';
import { usualOrder } from './usual_order.ts';

type Options = { befalls: RoleName };

/** The shop takes more than the agent had agreed to. */
export const overdrawnAp2 = ({ befalls, times }: Options & { times: number }): Scenario => ({
  name: 'Overdrawn AP2 mandate',
  variant: `paid ${times} times what the closed mandate says`,
  strength: 'strong',
  befalls,
  detectors: ['verification_failed', 'amount_outlier', 'spend_velocity'],
  lasts: HOUR,
  plant(scene) {
    const order = usualOrder(scene);
    const amount = Math.floor(Number(order.amount.value) / times);
    return [withAp2(order, scene.open_mandate(), scene.keyring, scene.random, { amount })];
  },
});

/** A closed mandate is shown for a second payment, long after the first. */
export const replayedAp2 = ({ befalls }: Options): Scenario => ({
  name: 'Replayed AP2 mandate',
  variant: 'one closed mandate in two payments',
  strength: 'strong',
  befalls,
  detectors: ['replayed_authorization', 'verification_failed', 'duplicate_payment', 'spend_velocity'],
  lasts: 2 * HOUR,
  plant(scene) {
    const { agent, at, random, keyring } = scene;
    const first = withAp2(usualOrder(scene), scene.open_mandate(), keyring, random);
    const later = at + random.int(25, 60) * MINUTE;
    const { context } = orderOf(agent, first.payee, 0, later, random);
    return [first, { ...first, at: later, ...(context && { context }) }];
  },
});

/** Somebody else than the agent closed a mandate that was given to the agent. */
export const forgedAp2 = ({ befalls }: Options): Scenario => ({
  name: 'Forged AP2 mandate',
  variant: 'closed with the key of another agent',
  strength: 'strong',
  befalls,
  detectors: ['verification_failed'],
  lasts: HOUR,
  plant: scene => [
    withAp2(usualOrder(scene), scene.open_mandate(), scene.keyring, scene.random, {
      agent: scene.keyring.key('a stranger'),
    }),
  ],
});
