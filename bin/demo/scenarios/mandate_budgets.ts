import { DAY, formatDuration } from '#shared/values/time.ts';
import { budgetUsedTo } from '#bin/demo/mandates.ts';
import { orderOf } from '#bin/demo/roles/procurement.ts';
import { countedAt, midnightAfter, mostIn } from '#bin/demo/spending.ts';
import type { RoleName } from '#bin/demo/agent.ts';
import { knownSupplier, type Scenario, timesWithin } from './scenario.ts';

type Options = { befalls: RoleName; orders: number; within: number };

/** Payments that are all allowed one by one, until the day's budget is spent; the agent does not notice and goes on. */
export const breachByBudget = ({ befalls, orders, within }: Options): Scenario => ({
  ...ofOneDay(within),
  name: 'Mandate: daily budget',
  variant: `${orders} orders within ${formatDuration(within)}; the last exceed it`,
  strength: 'strong',
  befalls,
  detectors: ['mandate_breach', 'budget_threshold', 'amount_outlier', 'spend_velocity'],
  mandate: ({ agent, usual }) => ({
    name: `${agent.name}: a budget a day`,
    constraints: [budgetUsedTo(USED, 'daily', agent, usual)],
  }),
  plant({ agent, usual, at, random }) {
    const budget = Number(budgetUsedTo(USED, 'daily', agent, usual).max);
    // The last two go beyond it even if nothing else is spent that day.
    const share = budget / (orders - 1.5);
    const shops = random.shuffled(agent.suppliers);
    return timesWithin(at, orders, within, random).flatMap((time, index) => {
      const shop = shops[index % shops.length];
      return shop ? [orderOf(agent, shop.payee, share * random.between(0.96, 1.04), time, random)] : [];
    });
  },
});

/** A day's budget is used up to the last cent, and not exceeded. */
export const budgetUsedUp = ({ befalls, orders, within }: Options): Scenario => ({
  ...ofOneDay(within),
  name: 'Mandate: budget used up',
  variant: `${orders} orders within ${formatDuration(within)}; the last takes what is left`,
  strength: 'strong',
  befalls,
  detectors: ['budget_threshold', 'amount_outlier', 'spend_velocity'],
  mandate: ({ agent, usual }) => ({
    name: `${agent.name}: a budget a day`,
    constraints: [budgetUsedTo(USED, 'daily', agent, usual)],
  }),
  plant({ agent, usual, at, random }) {
    const midnight = midnightAfter(at, agent.owner);
    const ofDay = usual.filter(purchase => {
      const time = countedAt(purchase) ?? 0;
      const isCanceled = purchase.course.some(({ type }) => type === 'payment.canceled');
      return !isCanceled && time < midnight && time >= midnight - DAY;
    });
    const left = Number(budgetUsedTo(USED, 'daily', agent, usual).max) - mostIn('daily', agent.owner, ofDay);
    const share = Math.floor(left / orders);
    return timesWithin(at, orders, within, random).map((time, index) =>
      orderOf(
        agent,
        knownSupplier(agent, random).payee,
        index === 0 ? left - share * (orders - 1) : share,
        time,
        random,
      ),
    );
  },
});

/** How much of the day's budget is used on the busiest day without it. */
const USED = 0.6;

/** It begins and ends on one day of the owner's calendar, on which nothing else is paid afterwards. */
const ofOneDay = (lasts: number): Pick<Scenario, 'lasts' | 'rests_until' | 'suits'> => ({
  lasts,
  rests_until: (at, { owner }) => midnightAfter(at, owner),
  suits: (at, { owner }) => at + lasts < midnightAfter(at, owner),
});
