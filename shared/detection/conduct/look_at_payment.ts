import { LEAST_PAYMENTS } from '#shared/detection/model/asks.ts';
import type { Context } from '#shared/detection/model/detector.ts';
import { firstDaysOf } from '#shared/detection/model/first_days.ts';
import { largestPaid } from '#shared/detection/model/largest_paid.ts';
import { learnPeers, type Peers, peersOf } from '#shared/detection/model/peers.ts';
import {
  expectedAbove,
  expectedOfLeap,
  expectedOfNewConduct,
  expectedOfNewRail,
  months,
} from '#shared/detection/model/rarity.ts';
import { learnSpread, spreadOf } from '#shared/detection/model/spreads.ts';
import { type DetectionEvent, type Payment, spendOf } from '#shared/events/log/payment.ts';
import { chainAccountOf } from '#shared/values/payee_key.ts';
import { once } from '#shared/values/once.ts';
import { DAY, HOUR } from '#shared/values/time.ts';
import {
  ALONE,
  AMOUNTS_LEAP,
  heldAgainst,
  outsideOf,
  type Eyes,
  type Look,
  PART_OF_TASKS,
  type RecordAround,
  setAside,
  withOwn,
} from './look.ts';
import { lookAtCurrency } from './look_at_currency.ts';
import { lookAtFirstDay } from './look_at_first_day.ts';
import { lookAtFirstLeap } from './look_at_first_leap.ts';
import { lookAtFirstWeek } from './look_at_first_week.ts';
import { lookAtKnownPayee } from './look_at_known_payee.ts';
import { lookAtLargest } from './look_at_largest.ts';
import { lookAtOnePayee } from './look_at_one_payee.ts';
import { lookAtPayee } from './look_at_payee.ts';
import {
  asHeld,
  firstPayments,
  isHeldForMore,
  lnOf,
  olderHours,
  type OwnPaid,
  type PaidPayment,
  paidPayments,
  nineTenths,
  spanOf,
  stretchAround,
} from './record.ts';
import { tellAmount } from './words.ts';
import { amountOutlier, isAccustomed, lookAtStretches } from './look_at_stretches.ts';

/** What a payment is held against lies outside its day; while the record is no longer than this and there are no peers, outside its six hours. */
const YOUNG = 3 * DAY;
/** Peers make up for so many months of an agent's own record, and no more: it may do something else than they do. */
const MOST_OF_PEERS = months(3 * DAY);

/**
 * Looks at money and payees with a payment that has just become spending. Pure, but for what `eyes.spreads` learns where that is asked for.
 */
export function lookAtPayment(event: DetectionEvent, context: Context, eyes: Eyes): Look[] {
  const { payment } = context;
  const at = payment.paid_at ?? event.occurred_at;
  const spent = paidPayments(context.history);
  // What is only authorized is compared with what was authorized.
  const areHeld = !payment.settled && spent.some(each => isHeldForMore(each.payment));
  const all = areHeld ? asHeld(spent, at) : spent;
  const spend_micro = spendOf(payment);
  const usd = Number(spend_micro) / 1e6;
  const own: OwnPaid = {
    at,
    spend_micro,
    usd,
    ln: Math.log(usd),
    payee_id: event.payee_id,
    is_new: context.is_new_payee,
    payment,
  };
  const reach = spanOf(all[0]?.at ?? at, all.at(-1)?.at ?? at);
  const isOnOneRail = all.every(other => other.payment.rail === payment.rail);
  const peers = isOnOneRail ? peersOf(eyes.spreads.peers, payment.rail) : null;
  const apart = reach > YOUNG || peers ? DAY : 6 * HOUR;
  const near = stretchAround(all, at, apart);
  const past = [
    ...outsideOf(heldAgainst(all, near, eyes, place => all[place]?.payment)),
    ...setAside({ all, own }, near, eyes),
  ];
  const older = olderHours(context.history, at, Math.min(eyes.asks.hour_usd, eyes.asks.day_usd));
  const age = Math.max(months(reach), months(at - (older[0]?.hour ?? at)));
  const known = age + (peers ? Math.min(MOST_OF_PEERS, (peers.weight * months(reach)) / (past.length + 1)) : 0);
  const kin = kinOf(past, payment);
  const isNewRail = kin !== null && kin.length < LEAST_KIN;
  const to_nobody = isNewRail && isToNobody(context);
  const part = to_nobody ? TO_NOBODY : 1;
  const begins =
    expectedOfNewConduct(known) * (own.is_new ? 1 : PART_OF_TASKS) * part * shareOfTasks(own, past, eyes.spreads);
  const new_rail = isNewRail ? expectedOfNewRail(known, usdOver(payment.rail, own, all)) * part : 0;
  const scene: RecordAround = {
    own,
    all,
    firsts: once(() => firstPayments(context.history, { payment, is_new: context.is_new_payee })),
    apart,
    near,
    past,
    kin,
    high: once(() => Math.max(highOf(past, peers), kin && kin.length > 0 ? nineTenths(kin) : 0)),
    peers,
    reach,
    span: months(reach),
    older,
    older_usd: highestMean(older),
    age,
    begins,
    new_rail,
    to_nobody,
  };
  const hasRecord = all.length > LEAST_PAYMENTS;
  const looks = [
    ...(hasRecord ? [] : [...lookAtFirstDay(context, scene, eyes), ...lookAtFirstLeap(scene, eyes)]),
    ...(hasRecord ? lookAtAmount(event.agent_id, scene, eyes) : []),
    ...(hasRecord ? lookAtKnownPayee(scene, eyes) : []),
    ...lookAtCurrency(event, context, scene, eyes),
    ...(hasRecord ? lookAtFirstWeek(event, context, scene, eyes) : []),
    ...lookAtLargest(event.agent_id, scene, eyes),
    ...lookAtStretches(context, scene, eyes, hasRecord),
    ...(own.is_new && past.length > 0 && hasRecord ? lookAtPayee(event, context, scene, eyes) : []),
    ...(hasRecord ? lookAtOnePayee(context, scene, eyes) : []),
  ];
  return areHeld ? looks.map(look => ({ ...look, around: [HELD] })) : looks;
}

const HELD =
  'Payments of other days count with what was authorized for them, where that was much more than they came to.';

/** How many new tasks come to as much: hardly any where others do not on their whole first day, nor this agent in one payment of ten. */
function shareOfTasks({ ln }: OwnPaid, past: readonly PaidPayment[], { first_days }: Eyes['spreads']): number {
  const days = firstDaysOf(first_days);
  return days === null || Math.log(nineTenths(past)) > days.high ? 1 : days.shareAbove(ln);
}

function lookAtAmount(
  agent_id: string,
  { own, apart, past, kin, high, reach, span, older_usd, begins, new_rail }: RecordAround,
  { asks, spreads, learns }: Eyes,
): Look[] {
  const isAsked =
    past.length > 0 && own.usd >= asks.amount_usd && own.usd > high() && !isAccustomed(own, { past, older_usd });
  if (!isAsked && !learns) return [];
  const sampleOf = (paid: readonly PaidPayment[]) => ({ values: lnOf(paid), per_month: (paid.length + 1) / span });
  const sample = sampleOf(past);
  if (learns) learnSpread(spreads, 'amount', sample.values);
  if (learns && kin === null) learnPeers(spreads.peers, own.payment.rail, agent_id, sample.values);
  if (!isAsked) return [];
  const spread = spreadOf(spreads, 'amount');
  const among_kin = kin && kin.length > 0 ? expectedAbove(own.ln, sampleOf(kin), spread) : 0;
  const by_tail = ALONE * Math.max(expectedAbove(own.ln, sample, spread), among_kin);
  const expected =
    own.usd < LEAST_LEAP_USD
      ? by_tail
      : Math.min(
          by_tail,
          Math.max(expectedAsLeap(own, past), expectedAsLeap(own, kin ?? past)) *
            (own.is_new ? timesAsNew(agent_id, own, past, spreads) : 1),
        );
  const tell = () => tellAmount(own, past, { apart, reach });
  return [{ ...amountOutlier, expected, per_month: ALONE * sample.per_month, begins: begins + new_rail, tell }];
}

/** How often a payment to somebody known is so many times as large as any before. */
const expectedAsLeap = ({ usd }: OwnPaid, paid: readonly PaidPayment[]): number =>
  expectedOfLeap(usd / paid.reduce((most, other) => Math.max(most, other.usd), 0), paid.length, AMOUNTS_LEAP);

/** Of somebody new a leap says the less, the less it is beside what others pay. */
function timesAsNew(agent_id: string, { usd }: OwnPaid, past: readonly PaidPayment[], { largest }: Eyes['spreads']) {
  const most = largestPaid(
    largest,
    agent_id,
    past.reduce((highest, other) => Math.max(highest, other.usd), 0),
  );
  return most === null ? Infinity : Math.max(1, (most.all / usd) ** AS_NEW);
}
const AS_NEW = 2;

/** A leap of less money is no leap. */
const LEAST_LEAP_USD = 50;

/** What was paid over a rail, with this payment, in dollars. */
const usdOver = (rail: Payment['rail'], own: OwnPaid, all: readonly PaidPayment[]): number =>
  withOwn(all, own).reduce((sum, { usd, payment }) => (payment.rail === rail ? sum + usd : sum), 0);

/** The payments over the same rail as this one; null where all are. */
function kinOf(past: readonly PaidPayment[], { rail }: Payment): readonly PaidPayment[] | null {
  const kin = past.filter(other => other.payment.rail === rail);
  return kin.length === past.length ? null : kin;
}

/** With fewer payments over it, a rail is new to the agent. */
const LEAST_KIN = 3;

/** What begins over a new rail goes to a wallet that nobody is named for, and for nothing that is named, this part of the time. */
const TO_NOBODY = 0.2;

const isToNobody = ({ payment, payee: { key, name } }: Context): boolean =>
  name === null && payment.resource_key === null && chainAccountOf(key) !== null;

function highestMean(hours: RecordAround['older']): number {
  let most = 0;
  for (const { payments, spend_micro } of hours)
    if (payments > 0) most = Math.max(most, Number(spend_micro) / 1e6 / payments);
  return most;
}

/** What nine in ten of an agent's payments stay within, in dollars, drawn toward its peers. A new agent may be one of the larger. */
function highOf(past: readonly PaidPayment[], peers: Peers | null): number {
  const own = nineTenths(past);
  if (!peers) return own;
  if (past.length === 0) return Math.exp(peers.high + peers.between);
  return Math.exp((past.length * Math.log(own) + peers.weight * peers.high) / (past.length + peers.weight));
}
