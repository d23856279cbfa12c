import { HOUR, SECOND } from '#shared/values/time.ts';
import { withX402 } from '#bin/demo/proofs/proven.ts';
import type { Purchase } from '#bin/demo/purchase.ts';
import { apisOf, callOf } from '#bin/demo/roles/research.ts';
import type { RoleName } from '#bin/demo/agent.ts';
import { type Scenario, type Scene, timesFrom } from './scenario.ts';

type Options = { befalls: RoleName };

/** A payload names the agent's wallet as the payer, and another key has signed it. */
export const forgedX402 = ({ befalls }: Options): Scenario => ({
  name: 'Forged x402 payload',
  variant: 'signed by another wallet than the payer',
  strength: 'strong',
  befalls,
  detectors: ['verification_failed'],
  lasts: HOUR,
  plant: scene =>
    onceCalled(scene).map(call =>
      withX402(call, scene.keyring, scene.random, { signer: scene.keyring.wallet('a stranger') }),
    ),
});

/** The wallet signed for an address that somebody put in the place of the API's, and the agent reports that it paid the API. */
export const misdirectedX402 = ({ befalls }: Options): Scenario => ({
  name: 'Misdirected x402 payment',
  variant: 'signed for another address than is reported',
  strength: 'strong',
  befalls,
  detectors: ['verification_failed'],
  lasts: HOUR,
  plant: scene =>
    onceCalled(scene).map(call =>
      withX402(call, scene.keyring, scene.random, { pay_to: scene.keyring.wallet('a stranger').address }),
    ),
});

/** One payload is shown for two calls of the same price, soon enough after each other that it has not run out. */
export const replayedX402 = ({ befalls }: Options): Scenario => ({
  name: 'Replayed x402 payload',
  variant: 'one authorization in two payments',
  strength: 'strong',
  befalls,
  detectors: ['replayed_authorization', 'verification_failed'],
  lasts: HOUR,
  plant(scene) {
    const { agent, at, market, random, keyring } = scene;
    const [first] = onceCalled(scene);
    const [api] = apisOf(agent, market.apis);
    if (!first || !api) return [];
    const call = withX402(first, keyring, random);
    const [, later = at] = timesFrom(at, 2, () => random.between(15, 40) * SECOND);
    const { resource_url, context } = callOf(agent, api, later, `run_${random.hex(8)}`, random);
    return [call, { ...call, at: later, ...(resource_url && { resource_url }), ...(context && { context }) }];
  },
});

/** One call of the API that the agent uses first. */
function onceCalled({ agent, at, market, random }: Scene): Purchase[] {
  const [api] = apisOf(agent, market.apis);
  return api ? [callOf(agent, api, at, `run_${random.hex(8)}`, random)] : [];
}
