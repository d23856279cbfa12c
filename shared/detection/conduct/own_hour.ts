import type { Context } from '#shared/detection/model/detector.ts';
import type { History } from '#shared/detection/model/history.ts';
import type { DetectionEvent, Payment } from '#shared/events/log/payment.ts';
import { DAY, HOUR, timestamp } from '#shared/values/time.ts';
import { type Look, moreOften } from './look.ts';
import { isCut, nearHours } from '#shared/detection/model/near_hours.ts';

/** Hours of the day to either side of that of a payment that count as near, and their share of a day. */
const AROUND = 2;
const SHARE = (2 * AROUND + 1) / 24;
/** So many hours, spread evenly over the day, weigh as much as the agent's own. */
const EVEN_HOURS = 10;

/**
 * The looks as common as they are for the agent at that time of day. An agent keeps its hours, and who misuses it keeps none: what is to be
 * expected by the record is multiplied by that likelihood ratio. It keeps the budget, for what it makes rarer at one hour it makes more
 * common at another. What no task of the agent would explain, such as a payee of many agents, has no hours.
 * Source: Vovk and Wang, "E-values: calibration, combination and applications" (Annals of Statistics, 2021).
 */
export function atItsHour(
  looks: readonly Look[],
  event: Pick<DetectionEvent, 'occurred_at'>,
  { payment, history }: Pick<Context, 'payment' | 'history'>,
  isKept: (payment: Payment) => boolean = () => true,
): Look[] {
  if (looks.every(({ begins }) => begins === undefined)) return [...looks];
  const { times, ...counted } = ownHour(event, payment, history, isKept);
  // That it is usual is no news.
  const hour = times < 1 ? tellHour(payment.started_at, counted) : null;
  return looks.map(look => (look.begins === undefined ? look : moreOften(look, times, hour)));
}

/**
 * How common the time of day of a payment is for its agent: of `all` clock hours (UTC) in which payments of it began, so many lie `near`,
 * which is so many `times` as many as of somebody who keeps no hours. They are those at least half a day from this one, of the payments at
 * hand that went through or, of a busy agent, of 30 days.
 */
export function ownHour(
  { occurred_at }: Pick<DetectionEvent, 'occurred_at'>,
  { started_at: at }: Payment,
  history: History,
  isKept: (payment: Payment) => boolean = () => true,
): { times: number; near: number; all: number } {
  const own = hourOf(at);
  let [near, all, latest] = [0, 0, NaN];
  const count = (time: number) => {
    const hour = hourOf(time);
    // They are in order.
    if (hour === latest || Math.abs(time - at) < DAY / 2) return;
    latest = hour;
    all += 1;
    if (apart(hour, own) <= AROUND) near += 1;
  };
  // Hours are loaded for when an event occurred, which may be long after its payment began.
  if (isCut(history, occurred_at)) {
    for (const { hour, payments } of nearHours(history, occurred_at)) if (payments > 0) count(hour);
  } else {
    for (const other of history.payments) if (other.paid_at !== null && isKept(other)) count(other.started_at);
  }
  return { times: (near + EVEN_HOURS * SHARE) / ((all + EVEN_HOURS) * SHARE), near, all };
}

const hourOf = (time: number) => Math.floor(time / HOUR);

/** How far apart the hours of the day of two hours are. */
function apart(a: number, b: number): number {
  const gap = Math.abs((a % 24) - (b % 24));
  return Math.min(gap, 24 - gap);
}

/** What is known of a time of day that makes it rarer, as a clause. */
function tellHour(at: number, { near, all }: { near: number; all: number }): string {
  const hours =
    all === 1
      ? `its one other active hour was ${near === 1 ? '' : 'not '}within ${AROUND} hours of it`
      : `${near === 0 ? 'none' : near} of its ${all} other active hours ${near > 1 ? 'were' : 'was'} within ${AROUND} hours of it`;
  return `The time of day, ${timestamp(at).slice('2026-11-20T'.length, '2026-11-20T12:51'.length)} UTC, is unusual for this agent (${hours})`;
}
