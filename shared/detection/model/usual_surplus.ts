import type { DetectionEvent, Payment } from '#shared/events/log/payment.ts';
import { DAY } from '#shared/values/time.ts';
import { type History, paidWithin } from './history.ts';
import { isTokenSum, MOST_OF_PUMP, type Overcharge } from './overcharge.ts';
import { isUsualHere, type SeenOften, stepOf } from './seen_often.ts';
import { percentText } from './wording.ts';

type Surplus = 'tip' | 'token';

/**
 * Cards are charged more for tips, minibars or by weight, up to half as much and $100, and at a pump after a token authorization: where the kind of merchant
 * does not say so, it is learned from how often as much is added, or more. Null for what is neither.
 */
export function surplusOf({ part, settled, authorized, rule }: Overcharge, { rail }: Payment): Surplus | null {
  if (rail !== 'card' || rule.kind !== null) return null;
  if (settled.usd_micro === null || authorized.usd_micro === null || part === null) return null;
  if (part <= MOST_OF_TIPS) return settled.usd_micro - authorized.usd_micro <= MOST_TIP_MICRO ? 'tip' : null;
  return isTokenSum(authorized) && settled.usd_micro >= LEAST_OF_PUMP && settled.usd_micro < MOST_OF_PUMP
    ? 'token'
    : null;
}
const [MOST_OF_TIPS, MOST_TIP_MICRO, LEAST_OF_PUMP] = [0.5, 100_000_000n, 5_000_000n];
/** What the alert says of it. */
export const USUAL_TEXT =
  ` On a card, up to ${percentText(MOST_OF_TIPS)} and $100 more, or up to $250 where up to $2 was authorized, raises none once as much has been charged ` +
  'five times in 20 days by three merchants, to three agents or on three days to this one.';

/**
 * Whether agents, or this one, are charged as much more at several merchants. What is told apart is a tip up to a quarter, the most that terminals suggest, and beyond; the sum
 * of a tip; and what a pump gave. Changes `often`.
 */
export function isUsualSurplus(
  { occurred_at: at, agent_id, payee_id }: DetectionEvent,
  { part, settled, authorized }: Overcharge,
  kind: Surplus,
  often: SeenOften,
): boolean {
  const usd = Number(settled.usd_micro ?? 0n) / 1e6;
  const more = usd - Number(authorized.usd_micro ?? 0n) / 1e6;
  const steps =
    kind === 'tip' ? [stepOf([0.251, 0.351], part ?? 0), stepOf([15, 40], more)] : [stepOf([60, 120, 180], usd)];
  return isUsualHere(often, kind, { agent_id, payee_id, at, steps }, { by_agent: true });
}

/** Whether a surplus is told however usual it is: nobody is tipped, or fills up, at one place so often in a day; and a pump is one that the agent knows. */
export function isToldAllTheSame(
  { payee_id, payment_id, paid_at, started_at }: Payment,
  kind: Surplus,
  history: History,
): boolean {
  const near = paidWithin(history, (paid_at ?? 0) - DAY, (paid_at ?? 0) + DAY);
  const others = near.filter(other => other.payee_id === payee_id && other.payment_id !== payment_id);
  const isKnown = (history.paid_payees.get(payee_id) ?? Infinity) < started_at;
  return others.length >= MOST_AT_ONE_PLACE || (kind === 'token' && !isKnown);
}
const MOST_AT_ONE_PLACE = 3;
