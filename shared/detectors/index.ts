import { amountOutlier } from '#shared/detectors/amount_outlier.ts';
import type { Detector } from '#shared/detectors/detector.ts';
import { duplicatePayment } from '#shared/detectors/duplicate_payment.ts';
import { failedPaymentBurst } from '#shared/detectors/failed_payment_burst.ts';
import { newPayeeHighAmount } from '#shared/detectors/new_payee_high_amount.ts';
import { runawayLoop } from '#shared/detectors/runaway_loop.ts';
import { spendVelocity } from '#shared/detectors/spend_velocity.ts';
import { velocityCount } from '#shared/detectors/velocity_count.ts';

/** Every detector, in the order they are asked. To add one: a file, its test, a line here. */
export const detectors: Detector[] = [
  velocityCount,
  spendVelocity,
  amountOutlier,
  newPayeeHighAmount,
  duplicatePayment,
  runawayLoop,
  failedPaymentBurst,
];

export const detectorNames = detectors.map(detector => detector.name);
