import { z } from 'zod';
import { createCalendar, fortnightOf, type Period } from '#shared/mandates/calendar.ts';
import { constraint, Count, example } from '#shared/mandates/constraint_fields.ts';
import type { Unit } from '#shared/mandates/evaluation.ts';
import {
  breach,
  compliant,
  endOf,
  type JudgedPayment,
  type PeriodLimit,
  type Reach,
  rolled,
  rolling,
  type Rule,
  timesOf,
} from '#shared/mandates/rule.ts';
import { DAY, formatDuration, SECOND, timestamp } from '#shared/values/time.ts';
import type { KindWords, ConstraintTerms } from './words.ts';

/** At most `max` payments in any `window_s` seconds. */
export const velocity = {
  schema: () =>
    constraint('payment.velocity', {
      max: Count,
      window_s: z.int().min(1).max(31_622_400).meta({ description: 'seconds, at most 366 days' }),
    }).meta(example('payment.velocity', { max: 10, window_s: 3_600 })),
  rule({ max, window_s }: { max: number; window_s: number }): Rule {
    const reach = rolling(window_s * SECOND);
    // A window has no beginning of its own: time is cut into its lengths since 1970, and into days where it is shorter than one.
    const step = Math.max(window_s * SECOND, DAY);
    return {
      reach,
      periodName: at => `${window_s} s ${timestamp(at - (at % step))}`,
      limits: [limitOf(max, rolled(window_s * SECOND))],
      judge(judged) {
        const count = countFrom(reach.from(judged.context.position.at, judged.mandate.anchor), judged);
        return count > max ? breach('velocity_exceeded', numbersOf(count, max)) : compliant(numbersOf(count, max));
      },
    };
  },
};

export const velocityWords: KindWords = {
  type: 'payment.velocity',
  name: 'Number of payments',
  limit: terms =>
    `at most ${String(terms['max'])} ${terms['max'] === 1 ? 'payment' : 'payments'} within any ${windowText(terms)}`,
  verdict: ({ observed, limit, terms }) => `${observed} payments within ${windowText(terms)}; ${limit} allowed`,
  fields: [
    { name: 'max', label: 'Maximum', as: 'count' },
    { name: 'window_s', label: 'Period', as: 'duration' },
  ],
  initial: { max: 10, window_s: 3_600 },
};

const windowText = ({ window_s }: ConstraintTerms): string => formatDuration(Number(window_s) * SECOND);

/** One payment in each period, so many in all, or both. */
export const agentRecurrence = { schema: recurrenceSchema, rule: recurrenceRule };

export const agentRecurrenceWords: KindWords = {
  type: 'payment.agent_recurrence',
  name: 'Recurrence',
  limit({ frequency, max_occurrences }) {
    const often = frequencies.get(frequency) ?? String(frequency);
    return max_occurrences === undefined ? often : `${often}, at most ${String(max_occurrences)} in total`;
  },
  verdict: ({ code, observed, limit, terms }) =>
    code === 'too_soon'
      ? `payment ${observed} of its period (${String(terms['frequency']).toLowerCase()}); one allowed`
      : `payment ${observed} under the mandate; ${limit} allowed`,
  fields: [
    {
      name: 'frequency',
      label: 'Frequency',
      as: 'choice',
      of: [
        ['DAILY', 'day'],
        ['WEEKLY', 'week'],
        ['BIWEEKLY', 'two weeks'],
        ['MONTHLY', 'month'],
        ['QUARTERLY', 'quarter'],
        ['ANNUALLY', 'year'],
        ['ON_DEMAND', 'any time'],
      ],
    },
    { name: 'max_occurrences', label: 'Maximum in total', as: 'count', optional: true },
  ],
  initial: { frequency: 'MONTHLY' },
};

const frequencies = new Map<unknown, string>([
  ['ON_DEMAND', 'payments at any time'],
  ['DAILY', 'one payment per day'],
  ['WEEKLY', 'one payment per week'],
  ['BIWEEKLY', 'one payment every two weeks'],
  ['MONTHLY', 'one payment per month'],
  ['QUARTERLY', 'one payment per quarter'],
  ['ANNUALLY', 'one payment per year'],
]);

function recurrenceSchema() {
  return constraint('payment.agent_recurrence', {
    frequency: z.enum(['ON_DEMAND', 'DAILY', 'WEEKLY', 'BIWEEKLY', 'MONTHLY', 'QUARTERLY', 'ANNUALLY']),
    max_occurrences: Count.optional(),
  }).meta(example('payment.agent_recurrence', { frequency: 'MONTHLY', max_occurrences: 12 }));
}

type Recurrence = z.output<ReturnType<typeof recurrenceSchema>>;

/**
 * AP2's recurrence: at most one payment in each calendar period (UTC; two weeks are counted from the ISO week in which the mandate
 * began), and at most `max_occurrences` altogether. When both are broken it says the latter, which no waiting mends.
 */
function recurrenceRule({ frequency, max_occurrences }: Recurrence): Rule {
  const periodAt = periodOf(frequency);
  const most = max_occurrences ?? null;
  const reach: Reach = {
    from: (at, anchor) => (most === null && periodAt ? periodAt(at, anchor).start : null),
    until: (at, anchor) => (most === null && periodAt ? periodAt(at, anchor).end : null),
  };
  return {
    ...((periodAt || most !== null) && { reach }),
    limits: [...(most === null ? [] : [limitOf(most, () => null)]), ...(periodAt ? [limitOf(1, periodAt)] : [])],
    judge(judged) {
      const { mandate, context } = judged;
      const count = most === null ? null : countFrom(null, judged);
      const inPeriod = periodAt && countFrom(periodAt(context.position.at, mandate.anchor).start, judged);
      if (most !== null && count !== null && count > most)
        return breach('occurrences_exceeded', numbersOf(count, most));
      if (inPeriod !== null && inPeriod > 1) return breach('too_soon', { observed: String(inPeriod), limit: '1' });
      if (most !== null && count !== null) return compliant(numbersOf(count, most));
      return compliant(inPeriod === null ? { observed: null, limit: null } : { observed: '1', limit: '1' });
    },
  };
}

/** Payments are counted alike in every unit. */
const ANY_UNIT: Unit = { currency: 'USD' };

/** Payments from `from` on, with the one that is judged. */
const countFrom = (from: number | null, { context: { meter, position } }: JudgedPayment): number =>
  meter.before(ANY_UNIT, from, position).payments + 1;

const limitOf = (most: number, periodOf: PeriodLimit['periodOf']): PeriodLimit => ({
  periodOf,
  unit: null,
  limit: String(most),
  use(meter, period) {
    const { payments } = meter.before(ANY_UNIT, period?.start ?? null, endOf(period));
    return { used: String(payments), remaining: String(Math.max(0, most - payments)), unpriced: 0 };
  },
});

const numbersOf = (count: number, most: number) => ({
  observed: String(count),
  limit: String(most),
  remaining: String(Math.max(0, most - count)),
  over: timesOf(BigInt(count), BigInt(most)),
});

function periodOf(frequency: Recurrence['frequency']): ((at: number, anchor: number) => Period) | null {
  if (frequency === 'ON_DEMAND') return null;
  return frequency === 'BIWEEKLY' ? fortnightOf : createCalendar(intervals[frequency], 'UTC');
}

const intervals = {
  DAILY: 'daily',
  WEEKLY: 'weekly',
  MONTHLY: 'monthly',
  QUARTERLY: 'quarterly',
  ANNUALLY: 'yearly',
} as const;
