import type { Context } from '#shared/detection/model/detector.ts';
import {
  alikeFirstWeeks,
  dayOfFirstWeek,
  type FirstWeek,
  firstWeekOf,
  isWorthADay,
} from '#shared/detection/model/first_weeks.ts';
import { otherPayers } from '#shared/detection/model/payers.ts';
import { type DetectionEvent, spendOf } from '#shared/events/log/payment.ts';
import { DAY } from '#shared/values/time.ts';
import type { Eyes, Look, RecordAround } from './look.ts';
import { newPayee, rateOfNews } from './look_at_payee.ts';
import { tellFirstWeek } from './words_of_payees.ts';

/** Fewer days say nothing. */
const LEAST_DAYS = 4;
/** What more agents pay is a provider that they have come to. */
const MOST_OTHERS = 3;
/** Where more of the organization's new payees begin so, that says nothing. */
const MOST_SHARE = 0.25;
/** How much the organization's payees weigh beside the agent's own, in payees. */
const OTHERS_WEIGHT = 8;

/** What may be a slow drain: the first week of a new payee, what it got in it, and how many of the organization's new payees begin so. */
type Drain = { week: FirstWeek; spent: bigint; others: { all: number; as_many: number }; share: number };

/** The drain that the first payment of a day to a new payee may be part of; null where there is nothing to ask. */
export function drainOf(
  { agent_id, payee_id }: Pick<DetectionEvent, 'agent_id' | 'payee_id'>,
  { history, payment, payee }: Pick<Context, 'history' | 'payment' | 'payee'>,
  { asks, spreads }: Pick<Eyes, 'asks' | 'spreads'>,
): Drain | null {
  const week = firstWeekOf(payment, payee_id, history);
  if (!week || week.days < LEAST_DAYS || !week.begins_day) return null;
  const others = alikeFirstWeeks(spreads.first_weeks, week.days);
  const share = others ? (others.as_many + 0.5) / (others.all + 1) : 1;
  if (!others || share > MOST_SHARE) return null;
  const spent = week.payments.reduce((sum, each) => sum + spendOf(each), 0n);
  if (Number(spent) / 1e6 <= asks.new_payee_usd) return null;
  return otherPayers(payee.payers, agent_id, payment).all > MOST_OTHERS ? null : { week, spent, others, share };
}

/**
 * How often a new payee is paid day after day: an agent that is drained slowly pays an account that hardly any other pays a little each day, and
 * none of the payments stands out. Of agents so busy that the payments at hand do not reach back beyond that week, nothing is said, nor of what
 * people have acted on.
 */
export function lookAtFirstWeek(
  event: DetectionEvent,
  context: Context,
  { own, all, past, firsts, span, begins }: RecordAround,
  eyes: Eyes,
): Look[] {
  const drain = drainOf(event, context, eyes);
  if (!drain || drain.week.since < (all[0]?.at ?? Infinity) + DAY) return [];
  const { payee_id } = event;
  const { week, spent, others, share } = drain;
  const isClosed = ({ payment_id }: { payment_id: string }) =>
    eyes.passed_over?.has(payment_id) === true || eyes.dismissed?.has(payment_id) === true;
  if (week.payments.some(isClosed)) return [];
  const before = daysOfOthers(payee_id, all, firsts(), own.at);
  const as_many = before.filter(days => days >= week.days).length;
  const news = past.filter(other => other.payment.payee_id !== payee_id && firsts().has(other.payment));
  const per_month = rateOfNews(news, own.at, span);
  const expected = (per_month * (as_many + OTHERS_WEIGHT * share)) / (before.length + OTHERS_WEIGHT);
  const tell = () => tellFirstWeek(payee_id, week, spent, { before: before.length, as_many, others });
  return [{ ...newPayee, of_days: true, expected, per_month, begins, tell }];
}

/** On how many days of their first week other payees were paid, of those whose first week is over at `until`. */
function daysOfOthers(
  payee_id: string,
  all: RecordAround['all'],
  firsts: ReturnType<RecordAround['firsts']>,
  until: number,
): number[] {
  const weeks = new Map<string, { since: number; days: Set<number> }>();
  for (const { at, payment } of all) {
    const id = payment.payee_id ?? '';
    if (firsts.has(payment) && id !== payee_id && dayOfFirstWeek(at, until) === null)
      weeks.set(id, { since: at, days: new Set() });
    const week = weeks.get(id);
    const day = week && isWorthADay(payment) ? dayOfFirstWeek(week.since, at) : null;
    if (day !== null) week?.days.add(day);
  }
  return [...weeks.values()].map(({ days }) => days.size).filter(days => days > 0);
}
