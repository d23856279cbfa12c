import { HOUR } from '#shared/values/time.ts';
import type { DemoPayee } from '#bin/demo/market.ts';
import { courses, type Purchase, usdc } from '#bin/demo/purchase.ts';
import type { Random } from '#bin/demo/random.ts';
import { orderOf } from '#bin/demo/roles/procurement.ts';
import { apisOf, callOf } from '#bin/demo/roles/research.ts';
import { transferOf } from '#bin/demo/roles/treasury.ts';
import { knownSupplier, type Scenario, type Scene, type Strength } from './scenario.ts';

const substituted = 'Substituted payee';

/** "Our bank details have changed": an invoice of a supplier the agent knows, to an account nobody knows. */
export const changedAccount = (): Scenario => ({
  name: substituted,
  variant: 'a known supplier, another bank account',
  strength: 'strong',
  befalls: 'treasury',
  detectors: ['payee_substitution', 'new_payee_high_amount', 'spend_velocity'],
  lasts: HOUR,
  plant({ agent, at, market, random }) {
    const { payee, usual } = knownSupplier(agent, random);
    const account = market.newAccount(payee.name ?? '', payee.country ?? '', random);
    return [transferOf(agent, account, usual, at, random)];
  },
});

/** The API asks for its money at another address than before. */
export const changedAddress = (): Scenario => ({
  name: substituted,
  variant: 'a known API, paid at another address',
  strength: 'strong',
  befalls: 'research',
  detectors: ['payee_substitution'],
  lasts: HOUR,
  plant(scene) {
    const call = callOfOne(scene);
    return call ? [{ ...call, payee: { ...call.payee, key: `eip155:8453:0x${scene.random.hex(40)}` } }] : [];
  },
});

/** A shop by the name of a known one, with another account at the same payment service. */
export const changedMerchant = ({ strength = 'weak' }: { strength?: Strength } = {}): Scenario => ({
  name: substituted,
  variant: 'a known shop, another account of its processor',
  strength,
  befalls: 'procurement',
  detectors: ['payee_substitution', 'new_payee_high_amount', 'spend_velocity'],
  lasts: HOUR,
  plant({ agent, at, random }) {
    const { payee, usual } = knownSupplier(agent, random);
    const key = payee.key.replace(/acct_\w+$/, `acct_${random.hex(16)}`);
    return [orderOf(agent, { ...payee, key }, usual, at, random)];
  },
});

/** An address made to look like a known one, put where the agent would copy it from. `asked`: it is only asked to pay so far. */
export const lookalikeWallet = ({ asked = false }: { asked?: boolean } = {}): Scenario => ({
  name: 'Look-alike wallet',
  variant: asked ? 'asked to pay an address like a known one' : 'paid an address that looks like a known one',
  strength: asked ? 'weak' : 'strong',
  befalls: 'research',
  detectors: ['lookalike_wallet', 'payee_substitution', 'amount_outlier', 'spend_velocity'],
  lasts: HOUR,
  plant({ agent, at, market, random }) {
    const [api] = apisOf(agent, market.apis);
    if (!api) return [];
    const topUp: Purchase = {
      agent,
      payee: lookalikeOf(api.payee, random),
      rail: 'stablecoin',
      amount: usdc(3_000_000),
      at,
      course: asked ? [{ type: 'payment.requested', after: 0 }] : courses.x402(random),
      description: `Top up the balance with ${api.payee.name}`,
    };
    return [topUp];
  },
});

/** Another address with the first and the last four digits of this one. */
const lookalikeOf = ({ key }: DemoPayee, random: Random): DemoPayee => ({
  key: `${key.slice(0, -36)}${random.hex(32)}${key.slice(-4)}`,
  type: 'wallet',
});

function callOfOne({ agent, at, market, random }: Scene): Purchase | null {
  const [api] = apisOf(agent, market.apis);
  return api ? callOf(agent, api, at, `run_${random.hex(8)}`, random) : null;
}
