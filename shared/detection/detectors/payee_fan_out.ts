import { z } from 'zod';
import { MOST_NEW_PAYEES } from '#shared/detection/model/history.ts';
import { countPayments } from '#shared/detection/model/counted.ts';
import type { Payment } from '#shared/events/log/payment.ts';
import { detector } from '#shared/detection/model/detector.ts';
import { count, factor } from '#shared/detection/model/params.ts';
import { median, score } from '#shared/detection/model/score.ts';
import { densestTimes } from '#shared/detection/model/times.ts';
import { spanText, timesText } from '#shared/detection/model/wording.ts';
import { DAY, formatDuration, HOUR } from '#shared/values/time.ts';

const WITHIN = DAY;
/** The window compared with the agent's own days: two daily runs that are a few hours closer than usual must not count as one. */
const AT_ONCE = 16 * HOUR;
const DAYS_COMPARED = 30;
/** With identical days one more payee would raise an alert. */
const LEAST_DEVIATION = 0.1;

/** An agent begins to pay many new payees, more than it usually does. */
export const payeeFanOut = detector({
  name: 'payee_fan_out',
  about: 'An agent starts paying more new payees within a day than usual.',
  params: z.strictObject({
    least: count(10, 'Minimum new payees', 'New payees within 24 hours from which an alert is raised', {
      most: MOST_NEW_PAYEES,
    }),
    times_mad: factor(
      3,
      'Deviation multiple',
      'How many usual deviations above the agent’s average day with new payees',
    ),
  }),
  behavioral: { asks: ({ least }) => ({ new_payees: least }) },
  judge(event, { new_payees, is_new_payee, history, payment }, { least, times_mad }) {
    if (!is_new_payee || new_payees.length < least) return null;
    const inside = densestTimes(new_payees, event.occurred_at, WITHIN);
    const [first] = inside;
    if (first === undefined || inside.length < least) return null;
    const isCut = new_payees.length >= MOST_NEW_PAYEES;
    const days = daysBefore(new_payees, first, isCut ? new_payees[0] : undefined);
    // So many that not one of its own days is kept for comparison: the alert came when this began.
    if (days.length === 0 && isCut) return null;
    const { mean, deviation } = usualOf(days);
    const usual = mean + times_mad * deviation;
    const atOnce = densestTimes(new_payees, event.occurred_at, AT_ONCE).length;
    if (atOnce <= usual) return null;
    const firsts = firstPayments(history.payments, inside, payment);
    const length = formatDuration(WITHIN);
    return {
      score: score(inside.length, Math.max(least, usual)),
      title: `${inside.length} new payees within ${length}`,
      explanation:
        `${inside.length} payees that this agent had never paid before, within ${length} (${spanText(inside)}); ` +
        `an alert is raised from ${least}. ` +
        (days.length === 0
          ? `There is no earlier day with new payees in the ${DAYS_COMPARED} days before to compare with.`
          : `On ${days.length} of the ${DAYS_COMPARED} days before it came to new payees too, to ${timesText(mean)} a day on average: ` +
            `${atOnce} of these within ${formatDuration(AT_ONCE)} are more than the ${Math.floor(usual)} that would be usual.`) +
        (firsts.length < inside.length ? ` This alert names the first payments to ${firsts.length} of them.` : ''),
      subject: '',
      ...countPayments(firsts),
    };
  },
});

/** The number of new payees on each UTC day with any before a window; the incomplete first day is left out. */
function daysBefore(times: readonly number[], window: number, cut: number | undefined): number[] {
  const days = new Map<number, number>();
  const today = dayOf(window);
  for (const time of times) {
    const day = dayOf(time);
    if (day >= today) break;
    if (day < today - DAYS_COMPARED * DAY || (cut !== undefined && day === dayOf(cut))) continue;
    days.set(day, (days.get(day) ?? 0) + 1);
  }
  return [...days.values()];
}

const dayOf = (time: number) => time - (time % DAY);

/** The mean of the days, and their median absolute deviation. */
function usualOf(days: readonly number[]): { mean: number; deviation: number } {
  if (days.length === 0) return { mean: 0, deviation: 0 };
  const mean = days.reduce((sum, day) => sum + day, 0) / days.length;
  const middle = median(days);
  const mad = median(days.map(day => Math.abs(day - middle)));
  return { mean, deviation: Math.max(mad, LEAST_DEVIATION * mean) };
}

/**
 * The first payments to the payees of these times, one each, as far as they are kept; `own` is the latest. If more payees were paid at one
 * moment than were new then, none of those is named.
 */
function firstPayments(payments: readonly Payment[], inside: readonly number[], own: Payment): Payment[] {
  const times = new Set(inside);
  const firsts = new Map<string, Payment>();
  for (const payment of payments) {
    const { payee_id, paid_at } = payment;
    if (paid_at !== null && times.has(paid_at) && paid_at < (firsts.get(payee_id)?.paid_at ?? Infinity))
      firsts.set(payee_id, payment);
  }
  firsts.set(own.payee_id, own);
  return [...Map.groupBy(firsts.values(), ({ paid_at }) => paid_at)].flatMap(([at, list]) =>
    list.length > inside.filter(time => time === at).length ? list.filter(payment => payment === own) : list,
  );
}
