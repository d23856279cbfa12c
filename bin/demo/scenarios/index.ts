import { MINUTE, SECOND } from '#shared/time.ts';
import { amountOutlier } from './amount_outlier.ts';
import { forgedAp2, overdrawnAp2, replayedAp2 } from './ap2_proofs.ts';
import { failureBurst } from './failure_burst.ts';
import {
  breachByAmount,
  breachByBudget,
  breachByCategory,
  breachByPayee,
  breachByTime,
  expiredMandate,
} from './mandate_breaches.ts';
import { newExpensivePayee } from './new_expensive_payee.ts';
import { retryStorm } from './retry_storm.ts';
import { runawayLoop } from './runaway_loop.ts';
import type { Scenario } from './scenario.ts';
import { spendingSpree } from './spending_spree.ts';
import { velocityBurst } from './velocity_burst.ts';
import { forgedX402, misdirectedX402, replayedX402 } from './x402_proofs.ts';

/** Everything that is planted in a day, each with an agent of its own. To add one: a line here, or a file and a line. */
export const scenarios: Scenario[] = [
  runawayLoop({ befalls: 'research', calls: 40, every: 4 * SECOND, ends: 'settled' }),
  runawayLoop({ befalls: 'research', calls: 14, every: 18 * SECOND, ends: 'settled', counts_attempts: true }),
  runawayLoop({ befalls: 'research', calls: 12, every: 9 * SECOND, ends: 'failed' }),
  retryStorm({ befalls: 'procurement', gap: 32 * SECOND, times: 2 }),
  retryStorm({ befalls: 'treasury', gap: 62 * SECOND, times: 2 }),
  retryStorm({ befalls: 'research', gap: 31 * SECOND, times: 4 }),
  amountOutlier({ befalls: 'procurement', times_usual: 25 }),
  amountOutlier({ befalls: 'treasury', times_usual: 10 }),
  failureBurst({ befalls: 'procurement', failed: 8, paid: 0, within: 4 * MINUTE }),
  failureBurst({ befalls: 'research', failed: 6, paid: 3, within: 8 * MINUTE }),
  spendingSpree({ befalls: 'procurement', orders: 9, times_usual: 3, within: 40 * MINUTE }),
  spendingSpree({ befalls: 'subscriptions', orders: 14, times_usual: 4, within: 420 * MINUTE }),
  newExpensivePayee({ befalls: 'procurement', times_usual: 30 }),
  newExpensivePayee({ befalls: 'treasury', times_usual: 9 }),
  velocityBurst({ befalls: 'research', calls: 70, within: 45 * SECOND }),
  velocityBurst({ befalls: 'research', calls: 450, within: 58 * MINUTE }),
  forgedX402({ befalls: 'research' }),
  misdirectedX402({ befalls: 'research' }),
  replayedX402({ befalls: 'research' }),
  overdrawnAp2({ befalls: 'procurement', times: 1.25 }),
  replayedAp2({ befalls: 'procurement' }),
  forgedAp2({ befalls: 'travel' }),
  breachByAmount({ befalls: 'subscriptions', times: 1.5 }),
  breachByBudget({ befalls: 'subscriptions', orders: 7, within: 75 * MINUTE }),
  breachByPayee({ befalls: 'payroll' }),
  breachByCategory({ befalls: 'subscriptions' }),
  breachByTime({ befalls: 'travel' }),
  expiredMandate({ befalls: 'treasury' }),
];
