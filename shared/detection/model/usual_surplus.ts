import type { DetectionEvent, Payment } from '#shared/events/log/payment.ts';
import { DAY } from '#shared/values/time.ts';
import { type History, paidWithin } from './history.ts';
import type { Overcharge } from './overcharge.ts';
import { isUsualHere, type SeenOften, stepOf } from './seen_often.ts';
import { percentText } from './wording.ts';

/**
 * Whether it may be what cards are charged for tips, minibars or by weight, up to half as much more and $100: where the kind of merchant does not say so, it is
 * learned from how often as much is added, or more.
 */
function mayBeTip({ part, settled, authorized, rule }: Overcharge): boolean {
  if (rule.kind !== null) return false;
  if (settled.usd_micro === null || authorized.usd_micro === null || part === null) return false;
  return part <= MOST_OF_TIPS && settled.usd_micro - authorized.usd_micro <= MOST_TIP_MICRO;
}
const [MOST_OF_TIPS, MOST_TIP_MICRO] = [0.5, 100_000_000n];

/** What an alert on a card payment says of it. */
export const usualText = ({ rule }: Overcharge): string =>
  (rule.kind === null
    ? ` On a card, up to ${percentText(MOST_OF_TIPS)} and $100 more raises none once as much has been charged five times in 20 days by three merchants, to three agents ` +
      'or on three days to this one.'
    : '') +
  ' Nor is one raised where three merchants have held as much from this agent five times and settled other sums, one of them more and about as much.';

/**
 * Whether a card is charged more than was authorized as a matter of course: agents, or this one, are charged such tips at several merchants, or what was
 * authorized is a hold. Not so often at one place in a day. Changes `often`.
 */
export function isUsualSurplus(
  event: DetectionEvent,
  { payment, history }: { payment: Payment; history: History },
  found: Overcharge,
  often: SeenOften,
): boolean {
  if (payment.rail !== 'card') return false;
  const isTip = mayBeTip(found) && isUsualTip(event, found, often);
  return (isTip || isHold(found, payment, history)) && !isTooOften(payment, history);
}

/** What is told apart is a tip up to a quarter, the most that terminals suggest, and beyond; and the sum of it. */
function isUsualTip(
  { occurred_at: at, agent_id, payee_id }: DetectionEvent,
  { part, settled, authorized }: Overcharge,
  often: SeenOften,
): boolean {
  const more = Number((settled.usd_micro ?? 0n) - (authorized.usd_micro ?? 0n)) / 1e6;
  const steps = [stepOf([0.251, 0.351], part ?? 0), stepOf([15, 40], more)];
  return isUsualHere(often, 'tip', { agent_id, payee_id, at, steps }, { by_agent: true });
}

/**
 * Whether what was authorized is a hold and no price, as at pumps and chargers: about the same sum was authorized for other payments of the agent by card, at
 * several merchants, nearly all of them settled for another, and one for more, and about as much as this one.
 */
function isHold({ settled, authorized }: Overcharge, own: Payment, { paid }: History): boolean {
  const [hold, usd_micro] = [authorized.usd_micro ?? 0n, settled.usd_micro];
  if (usd_micro === null || hold === 0n) return false;
  const held = paid.filter(
    ({ payment_id, settled_key, authorized_micro }) =>
      payment_id !== own.payment_id && settled_key !== null && areAbout(authorized_micro ?? 0n, hold),
  );
  const others = held.filter(({ settled_key, authorized_key }) => settled_key !== authorized_key);
  return (
    others.length >= LEAST_HELD &&
    others.length * 5 >= held.length * 4 &&
    new Set(others.map(({ payee_id }) => payee_id)).size >= LEAST_MERCHANTS &&
    others.some(
      ({ largest_settled_micro: largest }) =>
        largest !== null && largest * 97n > hold * 100n && usd_micro * 4n <= largest * 5n,
    )
  );
}
const [LEAST_HELD, LEAST_MERCHANTS] = [5, 3];
/** In dollars, at the rates of two days. */
const areAbout = (a: bigint, b: bigint) => a * 100n >= b * 97n && b * 100n >= a * 97n;

/** Nobody is tipped, or fills up, at one place so often in a day. */
function isTooOften({ payee_id, payment_id, paid_at }: Payment, history: History): boolean {
  const near = paidWithin(history, (paid_at ?? 0) - DAY, (paid_at ?? 0) + DAY);
  return (
    near.filter(other => other.payee_id === payee_id && other.payment_id !== payment_id).length >= MOST_AT_ONE_PLACE
  );
}
const MOST_AT_ONE_PLACE = 3;
