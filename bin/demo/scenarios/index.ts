import { HOUR, MINUTE, SECOND } from '#shared/values/time.ts';
import { amountOutlier } from './amount_outlier.ts';
import { forgedAp2, overdrawnAp2, replayedAp2 } from './ap2_proofs.ts';
import { belowTheLimit } from './below_the_limit.ts';
import { settledForTwoAmounts, undoneLater } from './contradictions.ts';
import { dormantAgent } from './dormant_agent.ts';
import { failureBurst } from './failure_burst.ts';
import { listedName, listedWallet } from './listed_payee.ts';
import { breachByAmount, breachByCategory, breachByPayee, breachByTime, expiredMandate } from './mandate_breaches.ts';
import { breachByBudget, budgetUsedUp } from './mandate_budgets.ts';
import { newCountry } from './new_country.ts';
import { newExpensivePayee } from './new_expensive_payee.ts';
import { fanIn, fanOut } from './payee_fans.ts';
import { overcharge, priceDrift } from './price_drift.ts';
import { retryStorm } from './retry_storm.ts';
import { runawayLoop } from './runaway_loop.ts';
import type { Scenario } from './scenario.ts';
import { unsettledCalls } from './settlement_missing.ts';
import { spendingSpree } from './spending_spree.ts';
import { changedAccount, changedAddress, lookalikeWallet } from './substitutions.ts';
import { velocityBurst } from './velocity_burst.ts';
import { forgedX402, misdirectedX402, replayedX402 } from './x402_proofs.ts';

/** What the demo plants in its day, each with agents of its own: something for every detector that a day over HTTP can show. To add one: a file and a line. */
export const scenarios: Scenario[] = [
  runawayLoop({ befalls: 'research', calls: 40, every: 4 * SECOND, ends: 'settled' }),
  runawayLoop({ befalls: 'research', calls: 12, every: 9 * SECOND, ends: 'failed' }),
  retryStorm({ befalls: 'procurement', gap: 32 * SECOND, times: 2 }),
  amountOutlier({ befalls: 'procurement', times_dearest: 10 }),
  amountOutlier({ befalls: 'treasury', times_dearest: 5 }),
  failureBurst({ befalls: 'research', failed: 6, paid: 3, within: 8 * MINUTE }),
  spendingSpree({ befalls: 'procurement', orders: 12, times_usual: 4, within: 40 * MINUTE }),
  newExpensivePayee({ befalls: 'treasury', times_usual: 9 }),
  velocityBurst({ befalls: 'research', calls: 70, within: 45 * SECOND }),
  forgedX402({ befalls: 'research' }),
  misdirectedX402({ befalls: 'research' }),
  replayedX402({ befalls: 'research' }),
  overdrawnAp2({ befalls: 'procurement', times: 1.25 }),
  replayedAp2({ befalls: 'procurement' }),
  forgedAp2({ befalls: 'travel' }),
  breachByAmount({ befalls: 'subscriptions', times: 1.5 }),
  breachByBudget({ befalls: 'subscriptions', orders: 7, within: 75 * MINUTE }),
  budgetUsedUp({ befalls: 'subscriptions', orders: 4, within: 75 * MINUTE }),
  breachByPayee({ befalls: 'payroll' }),
  breachByCategory({ befalls: 'subscriptions' }),
  breachByTime({ befalls: 'travel' }),
  expiredMandate({ befalls: 'treasury' }),
  belowTheLimit({
    befalls: 'treasury',
    limit: 'payment.approval_required',
    payments: 5,
    within: 3 * HOUR,
    between: [0.9, 0.99],
  }),
  dormantAgent({}),
  priceDrift({ times: 4 }),
  overcharge({ befalls: 'procurement', more: 0.12 }),
  newCountry({ befalls: 'treasury', country: 'IR', what: 'a country on the high-risk list' }),
  fanOut({ befalls: 'procurement', payees: 25, within: 2 * HOUR }),
  fanIn({ agents: ['travel', 'procurement', 'subscriptions', 'procurement', 'subscriptions'], within: 90 * MINUTE }),
  changedAccount(),
  changedAddress(),
  lookalikeWallet(),
  undoneLater({ befalls: 'procurement', type: 'payment.failed', after: 3 * HOUR }),
  settledForTwoAmounts({ befalls: 'procurement' }),
  unsettledCalls({ calls: 1 }),
  listedWallet(),
  listedName(),
];
