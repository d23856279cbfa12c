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
/** What is held against the agent's own days: two daily runs that are a few hours closer than usual must not be taken for one. */
const AT_ONCE = 16 * HOUR;
const DAYS_COMPARED = 30;
/** Days that are all alike would make an alert of one payee more. */
const LEAST_DEVIATION = 0.1;

/** An agent comes to many payees that it has never paid before, more than it does as a rule. */
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
    // So many that not one day of its own is kept to compare with: it was told about when this began.
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

/** How many payees the agent came to on each UTC day before a window, of those on which it came to any; the day that is cut off is left out. */
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

/** Mean of the days, and the median of how far they are from their median. */
function usualOf(days: readonly number[]): { mean: number; deviation: number } {
  if (days.length === 0) return { mean: 0, deviation: 0 };
  const mean = days.reduce((sum, day) => sum + day, 0) / days.length;
  const middle = median(days);
  const mad = median(days.map(day => Math.abs(day - middle)));
  return { mean, deviation: Math.max(mad, LEAST_DEVIATION * mean) };
}

/**
 * The payments by which payees were first paid at these times, one each, as far as they are at hand; `own` is the latest of them. Where
 * more payees were paid at one moment than were new then, nobody can tell which these were: none of them is named.
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
