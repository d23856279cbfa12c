import { z } from 'zod';
import { type Payment, spendOf } from '#shared/events/log/payment.ts';
import { DAY } from '#shared/values/time.ts';
import { type History, paidWithin } from './history.ts';

/**
 * On how many different days of their first week with an agent the organization's payees were paid: the first number is of those paid on one day or
 * more, the second of those paid on two or more, up to seven. Earlier ones count for less.
 */
export const FirstWeeks = z.array(z.number());
export type FirstWeeks = z.infer<typeof FirstWeeks>;

const DAYS = 7;
export const WEEK = DAYS * DAY;

export const noFirstWeeks = (): FirstWeeks => Array.from({ length: DAYS }, () => 0);

/** Smaller payments, such as for single calls of an API, are made without end, and are not asked about. */
export const isWorthADay = (payment: Payment): boolean => spendOf(payment) >= 1_000_000n;

/** Which day it is of those that began with a time, both in milliseconds: who pays at the same hour each day does so on a day each. */
export const dayFrom = (since: number, at: number): number => Math.round((at - since) / DAY);

/** The payments of an agent to a payee in their first week, and on how many days; `begins_day`: the one at hand is the only one of its day. */
export type FirstWeek = { since: number; payments: readonly Payment[]; days: number; begins_day: boolean };

/** The first week of the agent and the payee of a payment, which lies in it; null where it does not. */
export function firstWeekOf(payment: Payment, payee_id: string, history: History): FirstWeek | null {
  const since = history.paid_payees.get(payee_id);
  const at = payment.paid_at;
  if (since === undefined || at === null || at < since || dayFrom(since, at) >= DAYS || !isWorthADay(payment))
    return null;
  const own = dayFrom(since, at);
  const payments = paidWithin(history, since, since + WEEK).filter(
    other => other.payee_id === payee_id && dayFrom(since, other.paid_at ?? 0) < DAYS && isWorthADay(other),
  );
  const days = payments.map(other => dayFrom(since, other.paid_at ?? 0));
  return {
    since,
    payments,
    days: new Set(days).size,
    begins_day: days.filter(day => day === own).length <= 1,
  };
}

/** Notes that a payee is paid on another day of its first week. Changes `weeks`. */
export function learnFirstWeek(weeks: FirstWeeks, { days, begins_day }: FirstWeek): void {
  if (begins_day && days > 0) weeks[days - 1] = (weeks[days - 1] ?? 0) + 1;
}

/** With fewer payees to go by, nothing is known of how they begin. */
const LEAST_PAYEES = 10;

/** Which part of the organization's new payees was paid on as many days of its first week; null while too few are known. */
export function shareOfFirstWeeks([all = 0, ...more]: FirstWeeks, days: number): number | null {
  if (all < LEAST_PAYEES) return null;
  return Math.min(1, ((more[days - 2] ?? all) + 0.5) / (all + 1));
}
