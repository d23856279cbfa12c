import type { Context } from '#shared/detection/model/detector.ts';
import {
  alikeFirstWeeks,
  dayOfFirstWeek,
  type FirstWeek,
  firstWeekOf,
  isWorthADay,
} from '#shared/detection/model/first_weeks.ts';
import { otherPayers } from '#shared/detection/model/payers.ts';
import { expectedAbove } from '#shared/detection/model/rarity.ts';
import { spreadOf } from '#shared/detection/model/spreads.ts';
import { type DetectionEvent, spendOf } from '#shared/events/log/payment.ts';
import { DAY } from '#shared/values/time.ts';
import { type Eyes, type Look, PART_OF_TASKS, type RecordAround } from './look.ts';
import { newPayee, rateOfNews } from './look_at_payee.ts';
import { tellFirstWeek, tellFirstWeekTotal } from './words_of_payees.ts';

/** With fewer payments there is nothing to ask; and on fewer days a payee is not paid day after day. */
const [LEAST_IN_WEEK, LEAST_DAYS] = [3, 4];
/** What more agents pay is a provider that they have come to. */
const MOST_OTHERS = 3;
/** Where more of the organization's new payees begin so, that says nothing. */
const MOST_SHARE = 0.25;
/** How much the organization's payees weigh beside the agent's own, in payees. */
const OTHERS_WEIGHT = 8;
/** With fewer first weeks to go by, nothing is known of what payees get in them. */
const LEAST_WEEKS = 5;
/** Whom an agent pays in its first week it may have paid before anybody looked. */
const LEAST_KNOWN = 7 * DAY;
/** Of a drain that nothing else tells of, one day is no larger part. */
const MOST_OF_ONE_DAY = 0.8;

/** What may be a drain: the first week of a new payee, and what it got in it. */
type Drain = { week: FirstWeek; spent: bigint };

/**
 * The drain that a payment to a new payee may be part of; null where there is nothing to ask, or the agent itself is too new to say. Of agents
 * so busy that the payments at hand do not reach back a week beyond its first one, nothing is said.
 */
export function drainOf(
  { agent_id, payee_id }: Pick<DetectionEvent, 'agent_id' | 'payee_id'>,
  { history, payment, payee }: Pick<Context, 'history' | 'payment' | 'payee'>,
  { asks }: Pick<Eyes, 'asks'>,
): Drain | null {
  const since = history.paid_payees.get(payee_id);
  if (since === undefined || since < (history.paid[0]?.paid_at ?? Infinity) + LEAST_KNOWN) return null;
  const week = firstWeekOf(payment, payee_id, history);
  if (!week || week.payments.length < LEAST_IN_WEEK) return null;
  const spent = week.payments.reduce((sum, each) => sum + spendOf(each), 0n);
  if (Number(spent) / 1e6 <= asks.new_payee_usd) return null;
  return otherPayers(payee.payers, agent_id, payment).all > MOST_OTHERS ? null : { week, spent };
}

/**
 * How often a new payee is paid day after day, and gets so much in its first week: an agent that is drained slowly pays an account that hardly any
 * other pays a little again and again, and none of the payments stands out. Nothing is said of what people have acted on.
 */
export function lookAtFirstWeek(event: DetectionEvent, context: Context, scene: RecordAround, eyes: Eyes): Look[] {
  const drain = drainOf(event, context, eyes);
  const isClosed = ({ payment_id }: { payment_id: string }) =>
    eyes.passed_over?.has(payment_id) === true || eyes.dismissed?.has(payment_id) === true;
  if (!drain || drain.week.payments.some(isClosed)) return [];
  const { payee_id } = event;
  const { past, firsts, own, span, begins } = scene;
  const news = past.filter(other => other.payment.payee_id !== payee_id && firsts().has(other.payment));
  const per_month = rateOfNews(news, own.at, span);
  const weeks = firstWeeksOfOthers(payee_id, scene, eyes);
  const seen = [byDays(payee_id, drain, weeks, per_month, eyes), byTotal(payee_id, drain, weeks, per_month, eyes)];
  // It began as a payment to somebody new, though this one is not.
  const begun = own.is_new ? begins : begins / PART_OF_TASKS;
  return seen.flatMap(look => (look ? [{ ...newPayee, of_days: true, per_month, begins: begun, ...look }] : []));
}

/** What another payee got in its first week, in dollars, and on how many days. */
type Week = { usd: number; days: number };

/** What there is to see, in payments to new payees of which there are `per_month`. */
type Seen = Pick<Look, 'expected' | 'tell'> | null;

function byDays(payee_id: string, { week, spent }: Drain, weeks: Week[], per_month: number, { spreads }: Eyes): Seen {
  if (week.days < LEAST_DAYS || !week.begins_day) return null;
  const others = alikeFirstWeeks(spreads.first_weeks, week.days);
  const share = others ? (others.as_many + 0.5) / (others.all + 1) : 1;
  if (!others || share > MOST_SHARE) return null;
  const as_many = weeks.filter(({ days }) => days >= week.days).length;
  const expected = (per_month * (as_many + OTHERS_WEIGHT * share)) / (weeks.length + OTHERS_WEIGHT);
  return { expected, tell: () => tellFirstWeek(payee_id, week, spent, { before: weeks.length, as_many, others }) };
}

function byTotal(payee_id: string, { week, spent }: Drain, weeks: Week[], per_month: number, { spreads }: Eyes): Seen {
  const most = Math.max(...weeks.map(({ usd }) => usd));
  const usd = Number(spent) / 1e6;
  // What one day comes to is seen by other looks.
  if (weeks.length < LEAST_WEEKS || usd <= most || largestDay(week) > usd * MOST_OF_ONE_DAY) return null;
  const values = weeks.map(each => Math.log(each.usd));
  const expected = expectedAbove(Math.log(usd), { values, per_month }, spreadOf(spreads, 'amount'));
  return { expected, tell: () => tellFirstWeekTotal(payee_id, week, spent, { before: weeks.length, most }) };
}

/** The most that was paid on one day (UTC), in dollars. */
function largestDay({ payments }: FirstWeek): number {
  const days = new Map<number, number>();
  for (const payment of payments) {
    const day = Math.floor((payment.paid_at ?? 0) / DAY);
    days.set(day, (days.get(day) ?? 0) + Number(spendOf(payment)) / 1e6);
  }
  return Math.max(...days.values());
}

/**
 * What the other payees at hand that the agent began to pay got in their first week, of those whose first week is over, and which nobody has found to
 * be wrong.
 */
function firstWeeksOfOthers(payee_id: string, { all, firsts, own }: RecordAround, { passed_over }: Eyes): Week[] {
  const weeks = new Map<string, { since: number; usd: number; days: Set<number> }>();
  const wrong = new Set<string>();
  for (const { at, usd, payment } of all) {
    const id = payment.payee_id ?? '';
    if (at >= own.at || id === payee_id) continue;
    if (firsts().has(payment) && dayOfFirstWeek(at, own.at) === null)
      weeks.set(id, { since: at, usd: 0, days: new Set() });
    const week = weeks.get(id);
    const day = week ? dayOfFirstWeek(week.since, at) : null;
    if (!week || day === null || !isWorthADay(payment)) continue;
    if (passed_over?.has(payment.payment_id)) wrong.add(id);
    week.usd += usd;
    week.days.add(day);
  }
  return [...weeks].flatMap(([id, { usd, days }]) =>
    wrong.has(id) || days.size === 0 ? [] : [{ usd, days: days.size }],
  );
}
