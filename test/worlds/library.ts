import { DAY, HOUR, MINUTE, SECOND } from '#shared/values/time.ts';
import { amountOutlier } from '#bin/demo/scenarios/amount_outlier.ts';
import { belowTheLimit } from '#bin/demo/scenarios/below_the_limit.ts';
import { sourcesDisagree, undoneLater } from '#bin/demo/scenarios/contradictions.ts';
import { dormantAgent } from '#bin/demo/scenarios/dormant_agent.ts';
import { failureBurst } from '#bin/demo/scenarios/failure_burst.ts';
import { scenarios } from '#bin/demo/scenarios/index.ts';
import { breachByAmount } from '#bin/demo/scenarios/mandate_breaches.ts';
import { budgetUsedUp } from '#bin/demo/scenarios/mandate_budgets.ts';
import { newCountry } from '#bin/demo/scenarios/new_country.ts';
import { newExpensivePayee } from '#bin/demo/scenarios/new_expensive_payee.ts';
import { fanIn, fanOut } from '#bin/demo/scenarios/payee_fans.ts';
import { overcharge, priceDrift } from '#bin/demo/scenarios/price_drift.ts';
import { retryStorm } from '#bin/demo/scenarios/retry_storm.ts';
import { runawayLoop } from '#bin/demo/scenarios/runaway_loop.ts';
import type { Scenario } from '#bin/demo/scenarios/scenario.ts';
import { uncapturedOrder, unsettledCalls } from '#bin/demo/scenarios/settlement_missing.ts';
import { spendingSpree } from '#bin/demo/scenarios/spending_spree.ts';
import { changedMerchant, lookalikeWallet } from '#bin/demo/scenarios/substitutions.ts';
import { velocityBurst } from '#bin/demo/scenarios/velocity_burst.ts';

const weak = 'weak';

/** What the benchmark of the detectors plants: what the demo shows, and further cases of each, some of them only just over the line. */
export const library: Scenario[] = [
  ...scenarios,
  runawayLoop({ befalls: 'research', calls: 14, every: 18 * SECOND, ends: 'settled', counts_attempts: true }),
  runawayLoop({ befalls: 'research', calls: 11, every: 24 * SECOND, ends: 'settled', strength: weak }),
  retryStorm({ befalls: 'treasury', gap: 62 * SECOND, times: 2 }),
  retryStorm({ befalls: 'research', gap: 31 * SECOND, times: 4 }),
  retryStorm({ befalls: 'procurement', gap: 8 * MINUTE, times: 2, strength: weak }),
  amountOutlier({ befalls: 'procurement', times_dearest: 2, strength: weak }),
  failureBurst({ befalls: 'procurement', failed: 8, paid: 0, within: 4 * MINUTE }),
  failureBurst({ befalls: 'travel', failed: 5, paid: 3, within: 9 * MINUTE, strength: weak }),
  spendingSpree({ befalls: 'subscriptions', orders: 14, times_usual: 4, within: 420 * MINUTE }),
  spendingSpree({ befalls: 'procurement', orders: 9, times_usual: 1.5, within: 50 * MINUTE, strength: weak }),
  newExpensivePayee({ befalls: 'subscriptions', times_usual: 30 }),
  newExpensivePayee({ befalls: 'procurement', times_usual: 4, strength: weak }),
  velocityBurst({ befalls: 'research', calls: 450, within: 58 * MINUTE }),
  velocityBurst({ befalls: 'research', calls: 36, within: 50 * SECOND, strength: weak }),
  breachByAmount({ befalls: 'subscriptions', times: 1.02, strength: weak }),
  budgetUsedUp({ befalls: 'procurement', orders: 4, within: 75 * MINUTE }),
  belowTheLimit({
    befalls: 'procurement',
    limit: 'payment.amount_range',
    payments: 6,
    within: 2 * HOUR,
    between: [0.9, 0.99],
  }),
  belowTheLimit({
    befalls: 'travel',
    limit: 'payment.amount_range',
    payments: 3,
    within: 20 * HOUR,
    between: [0.86, 0.999],
    strength: weak,
  }),
  // A little longer than the detector asks for.
  dormantAgent({ silent: 30.5 * DAY, strength: weak }),
  priceDrift({ times: 1.6, strength: weak }),
  overcharge({ befalls: 'travel', more: 'a cent', strength: weak }),
  newCountry({ befalls: 'procurement', country: 'BR', what: 'a country the agent has never paid to' }),
  newCountry({ befalls: 'treasury', country: 'PT', what: 'a country the agent has never paid to' }),
  newCountry({
    befalls: 'travel',
    country: 'IS',
    what: 'a seventh country of an agent that pays to six',
    strength: weak,
  }),
  fanOut({ befalls: 'treasury', payees: 14, within: 3 * HOUR }),
  fanOut({ befalls: 'subscriptions', payees: 11, within: 20 * HOUR, strength: weak }),
  fanIn({
    agents: ['research', 'research', 'watcher', 'research', 'batch', 'watcher', 'watcher', 'feeds'],
    within: 2 * HOUR,
  }),
  fanIn({
    agents: ['subscriptions', 'procurement', 'travel', 'subscriptions', 'subscriptions'],
    within: 20 * HOUR,
    strength: weak,
  }),
  changedMerchant(),
  lookalikeWallet({ asked: true }),
  undoneLater({ befalls: 'travel', type: 'payment.canceled', after: MINUTE, strength: weak }),
  sourcesDisagree({ befalls: 'procurement', first: 'agent' }),
  sourcesDisagree({ befalls: 'procurement', first: 'processor' }),
  unsettledCalls({ calls: 3 }),
  uncapturedOrder({ befalls: 'subscriptions' }),
];
