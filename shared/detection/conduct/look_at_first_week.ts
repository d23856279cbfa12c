import type { Context } from '#shared/detection/model/detector.ts';
import { dayFrom, firstWeekOf, isWorthADay, shareOfFirstWeeks, WEEK } from '#shared/detection/model/first_weeks.ts';
import { otherPayers } from '#shared/detection/model/payers.ts';
import { type DetectionEvent, spendOf } from '#shared/events/log/payment.ts';
import { DAY } from '#shared/values/time.ts';
import type { Eyes, Look, RecordAround } from './look.ts';
import { newPayee, rateOfNews } from './look_at_payee.ts';
import { tellFirstWeek } from './words_of_payees.ts';

/** Fewer days say nothing. */
export const LEAST_DAYS = 4;
/** What more agents pay is a provider that they have come to, not somebody whom one of them has fallen for. */
const MOST_OTHERS = 1;
/** How much the organization's payees weigh beside the agent's own, in payees. */
const OTHERS_WEIGHT = 4;

/**
 * How often a new payee is paid day after day: an agent that is drained slowly pays an account that nobody else pays a little each day, and none of
 * the payments stands out. Of agents so busy that the payments at hand do not reach back beyond that week, nothing is said.
 */
export function lookAtFirstWeek(
  { agent_id, payee_id }: DetectionEvent,
  { history, payment, payee }: Context,
  { own, all, past, firsts, span, begins }: RecordAround,
  { asks, spreads }: Eyes,
): Look[] {
  const week = firstWeekOf(payment, payee_id, history);
  if (!week || week.days < LEAST_DAYS || week.since < (all[0]?.at ?? Infinity) + DAY) return [];
  const spent = week.payments.reduce((sum, each) => sum + spendOf(each), 0n);
  if (Number(spent) / 1e6 <= asks.new_payee_usd) return [];
  if (otherPayers(payee.payers, agent_id, payment).all > MOST_OTHERS) return [];
  const share = shareOfFirstWeeks(spreads.first_weeks, week.days);
  if (share === null) return [];
  const before = daysOfOthers(payee_id, all, firsts(), own.at);
  const as_many = before.filter(days => days >= week.days).length;
  const news = past.filter(other => other.payment.payee_id !== payee_id && firsts().has(other.payment));
  const per_month = rateOfNews(news, own.at, span);
  const expected = (per_month * (as_many + OTHERS_WEIGHT * share)) / (before.length + OTHERS_WEIGHT);
  const tell = () => tellFirstWeek(payee_id, week, spent, { before: before.length, as_many, share });
  return [{ ...newPayee, expected, per_month, begins, tell }];
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
    if (firsts.has(payment) && id !== payee_id && at + WEEK <= until) weeks.set(id, { since: at, days: new Set() });
    const week = weeks.get(id);
    if (week && at < week.since + WEEK && isWorthADay(payment)) week.days.add(dayFrom(week.since, at));
  }
  return [...weeks.values()].map(({ days }) => days.size).filter(days => days > 0);
}
