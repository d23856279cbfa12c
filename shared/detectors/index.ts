import { amountOutlier } from '#shared/detectors/amount_outlier.ts';
import { budgetThreshold } from '#shared/detectors/budget_threshold.ts';
import type { Detector, VerdictDetector } from '#shared/detectors/detector.ts';
import { duplicatePayment } from '#shared/detectors/duplicate_payment.ts';
import { failedPaymentBurst } from '#shared/detectors/failed_payment_burst.ts';
import { mandateBreach } from '#shared/detectors/mandate_breach.ts';
import { newPayeeHighAmount } from '#shared/detectors/new_payee_high_amount.ts';
import { replayedAuthorization } from '#shared/detectors/replayed_authorization.ts';
import { runawayLoop } from '#shared/detectors/runaway_loop.ts';
import { spendVelocity } from '#shared/detectors/spend_velocity.ts';
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
];

export const detectorNames = detectors.map(detector => detector.name);
