import { z } from 'zod';
import { type Payment, spendOf } from '#shared/events/log/payment.ts';
import { DAY } from '#shared/values/time.ts';
import { type History, paidWithin } from './history.ts';

/**
 * On how many days (UTC) of their first week with an agent the organization's payees were paid: the first number is of those paid on one day or more,
 * the second of those paid on two or more, up to seven. Earlier ones count for less.
 */
export const FirstWeeks = z.array(z.number());
export type FirstWeeks = z.infer<typeof FirstWeeks>;

const DAYS = 7;

export const noFirstWeeks = (): FirstWeeks => Array.from({ length: DAYS }, () => 0);

/** Smaller payments, such as for single calls of an API, are made without end, and are not asked about. */
const LEAST = 1_000_000n;
export const isWorthADay = (payment: Payment): boolean => spendOf(payment) >= LEAST;

const dayOf = (time: number) => Math.floor(time / DAY);

/** Which day (UTC) `at` is of those that began with that of `since`, from 0; null: of none of the first seven. */
export function dayOfFirstWeek(since: number, at: number): number | null {
  const day = dayOf(at) - dayOf(since);
  return at < since || day >= DAYS ? null : day;
}

/**
 * What a payee got from an agent in the week that began with `since`, in the order in which it was paid, and on how many days; `begins_day`: the
 * payment at hand is the only one of its day.
 */
export type FirstWeek = { since: number; payments: readonly Payment[]; days: number; begins_day: boolean };

/** The first week of the agent and the payee of a payment, which lies in it; null where it does not. */
export function firstWeekOf(payment: Payment, payee_id: string, history: History): FirstWeek | null {
  const since = history.paid_payees.get(payee_id);
  const at = payment.paid_at;
  if (since === undefined || at === null || !isWorthADay(payment)) return null;
  const own = dayOfFirstWeek(since, at);
  if (own === null) return null;
  const payments = paidWithin(history, since, (dayOf(since) + DAYS) * DAY).filter(
    other => other.payee_id === payee_id && isWorthADay(other),
  );
  const days = payments.map(other => dayOfFirstWeek(since, other.paid_at ?? 0));
  return {
    since,
    payments,
    days: new Set(days).size,
    begins_day: days.filter(day => day === own).length <= 1,
  };
}

/** Notes that a payee is paid on another day of its first week, where the payment is the latest of it. Changes `weeks`. */
export function learnFirstWeek(weeks: FirstWeeks, { payments, days, begins_day }: FirstWeek, payment: Payment): void {
  if (begins_day && payments.at(-1)?.payment_id === payment.payment_id) weeks[days - 1] = (weeks[days - 1] ?? 0) + 1;
}

/** With fewer payees to go by, nothing is known of how they begin. */
const LEAST_PAYEES = 10;

/** How many new payees of the organization are known, and how many of them were paid on as many days of their first week; null: too few are known. */
export function alikeFirstWeeks([all = 0, ...more]: FirstWeeks, days: number): { all: number; as_many: number } | null {
  return all < LEAST_PAYEES ? null : { all, as_many: Math.min(all, more[days - 2] ?? all) };
}
