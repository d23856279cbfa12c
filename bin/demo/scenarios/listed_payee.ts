import { HOUR } from '#shared/values/time.ts';
import { courses, usdc } from '#bin/demo/purchase.ts';
import { type Scenario, usualOf } from './scenario.ts';
import { payBy, stranger } from './usual_order.ts';

const name = 'Listed payee';

/** A top-up to a wallet that the list of made-up names has (FIC-003). */
export const listedWallet = (): Scenario => ({
  name,
  variant: 'a listed wallet, by its address',
  strength: 'strong',
  befalls: 'research',
  detectors: ['sanctions_match', 'amount_outlier', 'new_payee_high_amount'],
  lasts: HOUR,
  plant: ({ agent, at, random }) => [
    {
      agent,
      payee: { key: 'eip155:8453:0xf1c7e2d7ceb3334a7499f9fac273bed4f4dcee93', type: 'wallet' },
      rail: 'stablecoin',
      amount: usdc(40_000),
      at,
      course: courses.x402(random),
      description: 'Top up the balance',
    },
  ],
});

/** An invoice of somebody on the list (FIC-001), the name romanized otherwise and with an error. */
export const listedName = (): Scenario => ({
  name,
  variant: 'a listed person, the name misspelled',
  strength: 'strong',
  befalls: 'treasury',
  detectors: ['sanctions_match', 'new_payee_high_amount'],
  lasts: HOUR,
  plant(scene) {
    const { agent, at, random } = scene;
    const payee = { ...stranger(scene, 'Consulting'), name: 'Sorvan Quillfether', type: 'individual' as const };
    return [payBy(agent)(agent, payee, usualOf(agent) * random.between(0.5, 0.8), at, random)];
  },
});
