import { amountOutlier } from '#shared/detectors/amount_outlier.ts';
import { budgetThreshold } from '#shared/detectors/budget_threshold.ts';
import { countryChange } from '#shared/detectors/country_change.ts';
import type { Catalogued, Detector, TimedDetector, VerdictDetector } from '#shared/detectors/detector.ts';
import { dormantAgent } from '#shared/detectors/dormant_agent.ts';
import { duplicatePayment } from '#shared/detectors/duplicate_payment.ts';
import { failedPaymentBurst } from '#shared/detectors/failed_payment_burst.ts';
import { justUnderLimit } from '#shared/detectors/just_under_limit.ts';
import { lookalikeWallet } from '#shared/detectors/lookalike_wallet.ts';
import { mandateBreach } from '#shared/detectors/mandate_breach.ts';
import { newPayeeHighAmount } from '#shared/detectors/new_payee_high_amount.ts';
import { payeeFanIn } from '#shared/detectors/payee_fan_in.ts';
import { payeeFanOut } from '#shared/detectors/payee_fan_out.ts';
import { payeeSubstitution } from '#shared/detectors/payee_substitution.ts';
import { priceDrift } from '#shared/detectors/price_drift.ts';
import { replayedAuthorization } from '#shared/detectors/replayed_authorization.ts';
import { runawayLoop } from '#shared/detectors/runaway_loop.ts';
import { sanctionsMatch } from '#shared/detectors/sanctions_match.ts';
import { settlementMissing } from '#shared/detectors/settlement_missing.ts';
import { silentSource } from '#shared/detectors/silent_source.ts';
import { spendVelocity } from '#shared/detectors/spend_velocity.ts';
import { statusConflict } from '#shared/detectors/status_conflict.ts';
import { unmandatedPayment } from '#shared/detectors/unmandated_payment.ts';
import { velocityCount } from '#shared/detectors/velocity_count.ts';
import { verificationFailed } from '#shared/detectors/verification_failed.ts';

/** Those that look at verdicts alone; they are asked again when an event is assessed again. */
export const verdictDetectors: VerdictDetector[] = [
  verificationFailed,
  replayedAuthorization,
  mandateBreach,
  unmandatedPayment,
  budgetThreshold,
];

/** Every detector, in the order they are asked. To add one: a file, its test, a line here. */
export const detectors: Detector[] = [
  ...verdictDetectors,
  velocityCount,
  spendVelocity,
  amountOutlier,
  newPayeeHighAmount,
  duplicatePayment,
  runawayLoop,
  failedPaymentBurst,
  justUnderLimit,
  dormantAgent,
  priceDrift,
  countryChange,
  payeeFanOut,
  payeeFanIn,
  payeeSubstitution,
  lookalikeWallet,
  statusConflict,
  sanctionsMatch,
];

/** Those that are asked as time goes by, not by events. */
export const timedDetectors: TimedDetector[] = [settlementMissing, silentSource];

/** Every detector there is, as people see them. */
export const catalogue: Catalogued[] = [...detectors, ...timedDetectors];

export const detectorNames = catalogue.map(detector => detector.name);
