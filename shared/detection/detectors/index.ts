import { amountOutlier } from './amount_outlier.ts';
import { budgetThreshold } from './budget_threshold.ts';
import { countryChange } from './country_change.ts';
import type { CatalogEntry, Detector, TimedDetector, VerdictDetector } from '#shared/detection/model/detector.ts';
import { dormantAgent } from './dormant_agent.ts';
import { duplicatePayment } from './duplicate_payment.ts';
import { failedPaymentBurst } from './failed_payment_burst.ts';
import { justUnderLimit } from './just_under_limit.ts';
import { lookalikeWallet } from './lookalike_wallet.ts';
import { mandateBreach } from './mandate_breach.ts';
import { newPayeeHighAmount } from './new_payee_high_amount.ts';
import { payeeFanIn } from './payee_fan_in.ts';
import { payeeFanOut } from './payee_fan_out.ts';
import { payeeSubstitution } from './payee_substitution.ts';
import { priceDrift } from './price_drift.ts';
import { replayedAuthorization } from './replayed_authorization.ts';
import { runawayLoop } from './runaway_loop.ts';
import { sanctionsMatch } from './sanctions_match.ts';
import { settlementMissing } from './settlement_missing.ts';
import { silentSource } from './silent_source.ts';
import { spendVelocity } from './spend_velocity.ts';
import { statusConflict } from './status_conflict.ts';
import { unmandatedPayment } from './unmandated_payment.ts';
import { velocityCount } from './velocity_count.ts';
import { verificationFailed } from './verification_failed.ts';

/** Detectors of verdicts alone; they run again when an event is assessed again. */
export const verdictDetectors: VerdictDetector[] = [
  verificationFailed,
  replayedAuthorization,
  mandateBreach,
  unmandatedPayment,
  budgetThreshold,
];

/** All detectors, in order of execution. To add one: a file, its test, a line here, a scenario of the demo. */
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

/** Detectors that run as time passes, not on events. */
export const timedDetectors: TimedDetector[] = [settlementMissing, silentSource];

/** All detectors as people see them. */
export const catalog: CatalogEntry[] = [...detectors, ...timedDetectors];

export const detectorNames = catalog.map(detector => detector.name);
