import { formatDuration, HOUR, MINUTE } from '#shared/time.ts';
import { budgetUsedTo, officeHours, suppliersOf } from '../mandates.ts';
import { courses } from '../purchase.ts';
import { orderOf } from '../roles/procurement.ts';
import { transferOf } from '../roles/treasury.ts';
import { hourOf, largest, midnightAfter } from '../spending.ts';
import type { RoleName } from '../world.ts';
import { type Scenario, type Scene, timesFrom, usualOf } from './scenario.ts';

type Options = { befalls: RoleName };

const others = ['amount_outlier', 'spend_velocity', 'new_payee_high_amount'];

/** A payment to somebody the agent knows, above what its mandate allows in one go. */
export const breachByAmount = ({ befalls, times }: Options & { times: number }): Scenario => ({
  name: 'Mandate: amount',
  variant: `${times} times what is allowed in one payment`,
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
    orderOf(agent, knownPayee(agent, random), times * largest(usual), at, random),
  ],
});

/** How much of the day's budget is used on the busiest day without it. */
const USED = 0.6;

/** Payments that are all allowed one by one, until the day's budget is spent; the agent does not notice and goes on. */
export const breachByBudget = ({
  befalls,
  orders,
  within,
}: Options & { orders: number; within: number }): Scenario => ({
  name: 'Mandate: daily budget',
  variant: `${orders} orders within ${formatDuration(within)}; the last exceed it`,
  befalls,
  detectors: ['mandate_breach', 'budget_threshold', ...others],
  lasts: within,
  rests_until: (at, { owner }) => midnightAfter(at, owner),
  suits: (at, { owner }) => at + within < midnightAfter(at, owner),
  mandate: ({ agent, usual }) => ({
    name: `${agent.name}: a budget a day`,
    constraints: [budgetUsedTo(USED, 'daily', agent, usual)],
  }),
  plant({ agent, usual, at, random }) {
    const budget = Number(budgetUsedTo(USED, 'daily', agent, usual).max);
    // The last two go beyond it even if nothing else is spent that day.
    const share = budget / (orders - 1.5);
    const shops = random.shuffled(agent.suppliers);
    return timesFrom(at, orders, () => (within / orders) * random.between(0.6, 1)).flatMap((time, index) => {
      const shop = shops[index % shops.length];
      return shop ? [orderOf(agent, shop.payee, share * random.between(0.96, 1.04), time, random)] : [];
    });
  },
});

/** A salary to an account that is not among the people the agent may pay. */
export const breachByPayee = ({ befalls }: Options): Scenario => ({
  name: 'Mandate: payee',
  variant: 'wages to an account that is not on the list',
  befalls,
  detectors: ['mandate_breach', ...others],
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
    const payee = market.newMerchant('Confetti Cards', 'IE', random);
    return [{ ...orderOf(agent, payee, usualOf(agent), at, random), category: '5947' }];
  },
});

/** A journey booked in the middle of the night by an agent that works in office hours. */
export const breachByTime = ({ befalls }: Options): Scenario => ({
  name: 'Mandate: time of day',
  variant: 'booked at night',
  befalls,
  detectors: ['mandate_breach', ...others],
  lasts: HOUR,
  suits: (at, { owner }) => hourOf(at, owner) >= 21 || hourOf(at, owner) < 5,
  mandate: ({ agent }) => ({ name: `${agent.name}: in office hours`, constraints: [officeHours(agent)] }),
  plant: ({ agent, at, random }) => [orderOf(agent, knownPayee(agent, random), usualOf(agent), at, random)],
});

/** An invoice is paid under a mandate that has run out. */
export const expiredMandate = ({ befalls }: Options): Scenario => ({
  name: 'Mandate: expired',
  variant: 'names a mandate that ended before the day',
  befalls,
  detectors: ['mandate_breach', ...others],
  lasts: HOUR,
  mandate: ({ agent, span }) => ({
    name: `${agent.name}: last month's invoices`,
    valid_until: span.day - 30 * MINUTE,
    constraints: [{ type: 'payment.allowed_rails', values: ['sepa'] }],
  }),
  plant: ({ agent, at, random, mandate_id }) => [
    {
      ...transferOf(agent, knownPayee(agent, random), usualOf(agent), at, random),
      course: courses.sepa(random),
      mandate_id,
    },
  ],
});

const knownPayee = ({ suppliers }: Scene['agent'], random: Scene['random']) =>
  random.pick(suppliers.filter(({ newcomer }) => !newcomer)).payee;
