import { HOUR, MINUTE } from '#shared/values/time.ts';
import { officeHours, suppliersOf } from '#bin/demo/mandates.ts';
import { courses } from '#bin/demo/purchase.ts';
import { orderOf } from '#bin/demo/roles/procurement.ts';
import { transferOf } from '#bin/demo/roles/treasury.ts';
import { hourOf, largest } from '#bin/demo/spending.ts';
import type { RoleName } from '#bin/demo/agent.ts';
import { knownSupplier, type Scenario, type Strength, usualOf } from './scenario.ts';
import { usualOrder } from './usual_order.ts';

type Options = { befalls: RoleName };

const others = ['amount_outlier', 'spend_velocity', 'new_payee_high_amount'];

/** A payment to somebody the agent knows, above what its mandate allows in one go. */
export const breachByAmount = ({
  befalls,
  times,
  strength = 'strong',
}: Options & { times: number; strength?: Strength }): Scenario => ({
  name: 'Mandate: amount',
  variant: `${times} times what is allowed in one payment`,
  strength,
  befalls,
  detectors: ['mandate_breach', ...others],
  lasts: HOUR,
  mandate: ({ agent, usual }) => ({
    name: `${agent.name}: up to the dearest subscription`,
    constraints: [
      { type: 'payment.amount_range', max: String(largest(usual)), currency: agent.owner.currency },
      { type: 'payment.allowed_rails', values: ['card'] },
    ],
  }),
  plant: ({ agent, usual, at, random }) => [
    orderOf(agent, knownSupplier(agent, random).payee, times * largest(usual), at, random),
  ],
});

/** A salary to an account that is not among the people the agent may pay. */
export const breachByPayee = ({ befalls }: Options): Scenario => ({
  name: 'Mandate: payee',
  variant: 'wages to an account that is not on the list',
  strength: 'strong',
  befalls,
  // Who pays once a month has been silent for a month.
  detectors: ['mandate_breach', 'dormant_agent', ...others],
  lasts: HOUR,
  mandate: ({ agent }) => ({
    name: `${agent.name}: the people on the pay roll`,
    constraints: [suppliersOf(agent), { type: 'payment.allowed_rails', values: ['sepa'] }],
  }),
  plant({ agent, at, market, random }) {
    const payee = { ...market.newAccount('Rosa Fontane', agent.owner.country, random), type: 'individual' as const };
    return [{ ...transferOf(agent, payee, usualOf(agent), at, random), description: 'Wages' }];
  },
});

/** Gift cards with a card that is for software. */
export const breachByCategory = ({ befalls }: Options): Scenario => ({
  name: 'Mandate: category',
  variant: 'gift cards with a card for software',
  strength: 'strong',
  befalls,
  detectors: ['mandate_breach', ...others],
  lasts: HOUR,
  mandate: ({ agent }) => ({
    name: `${agent.name}: software only`,
    constraints: [
      { type: 'payment.allowed_categories', mcc: ['5734'] },
      { type: 'payment.allowed_rails', values: ['card'] },
    ],
  }),
  plant({ agent, at, market, random }) {
    const payee = market.newMerchant('Confetti Cards', 'US', random);
    return [{ ...orderOf(agent, payee, usualOf(agent), at, random), category: '5947' }];
  },
});

/** A journey booked in the middle of the night by an agent that works in office hours. */
export const breachByTime = ({ befalls }: Options): Scenario => ({
  name: 'Mandate: time of day',
  variant: 'booked at night',
  strength: 'strong',
  befalls,
  detectors: ['mandate_breach', ...others],
  lasts: HOUR,
  suits: (at, { owner }) => hourOf(at, owner) >= 21 || hourOf(at, owner) < 5,
  mandate: ({ agent }) => ({ name: `${agent.name}: in office hours`, constraints: [officeHours(agent)] }),
  plant: scene => [usualOrder(scene)],
});

/** An invoice is paid under a mandate that has run out. */
export const expiredMandate = ({ befalls }: Options): Scenario => ({
  name: 'Mandate: expired',
  variant: 'names a mandate that ended before the day',
  strength: 'strong',
  befalls,
  detectors: ['mandate_breach', ...others],
  lasts: HOUR,
  mandate: ({ agent, span }) => ({
    name: `${agent.name}: last month's invoices`,
    valid_until: span.day - 30 * MINUTE,
    constraints: [{ type: 'payment.allowed_rails', values: ['sepa'] }],
  }),
  plant: scene => [{ ...usualOrder(scene), course: courses.sepa(scene.random), mandate_id: scene.mandate_id }],
});
