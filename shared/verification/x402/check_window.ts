import { timestamp } from '#shared/values/time.ts';
import type { ReportedEvent } from '#shared/events/log/reported_event.ts';
import type { Checklist } from '#shared/verification/checklist.ts';
import { isAfterwards } from './against_event.ts';
import { codesOf } from './codes.ts';
import type { Eip3009Transfer, Permit2Transfer } from './payment_payload.ts';

/**
 * Seconds after its end in which an authorization may have been used in time and reported late: facilitators reckon with 6 s for
 * a block. Nothing is verified in them, but nothing is called false either.
 */
export const GRACE = 6n;

/**
 * Notes whether an authorization was valid when the event occurred: both ends belong to the time, which is counted in whole
 * seconds as blocks count it. What is told of a payment that is over may come after the end.
 */
export function checkWindow(list: Checklist, event: ReportedEvent, transfer: Eip3009Transfer | Permit2Transfer): void {
  const { valid_after, valid_before } = transfer;
  const codes = codesOf(transfer);
  const at = BigInt(Math.floor(event.occurred_at / 1000));
  const occurred = `the event occurred at ${at} (${timestamp(event.occurred_at)})`;
  list.check('valid_after', valid_after <= at, codes.too_early, `valid from ${valid_after}, ${occurred}`);
  if (isAfterwards(event)) return list.skip('valid_before', `not judged for ${event.type}`);
  if (at > valid_before && at <= valid_before + GRACE)
    return void list.open(
      'valid_before',
      codes.too_late,
      `valid until ${valid_before}, up to ${GRACE} s before, ${occurred}`,
    );
  list.check('valid_before', at <= valid_before, codes.too_late, `valid until ${valid_before}, ${occurred}`);
}
