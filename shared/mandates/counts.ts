import { rolled, rolling } from './budgets.ts';
import { createCalendar, fortnightOf, type Period } from './calendar.ts';
import type { Unit } from './evaluation.ts';
import {
  breach,
  compliant,
  type ConstraintOf,
  endOf,
  type Judged,
  type Limit,
  type Reach,
  type Rule,
  timesOf,
} from './rule.ts';
import { SECOND } from '#shared/values/time.ts';

type Recurrence = ConstraintOf<'payment.agent_recurrence'>;

/**
 * AP2's recurrence: at most one payment in each calendar period (UTC; two weeks are counted from the ISO week in which the mandate
 * began), and at most `max_occurrences` altogether. When both are broken it says the latter, which no waiting mends.
 */
export function agentRecurrence({ frequency, max_occurrences }: Recurrence): Rule {
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

/** At most `max` payments in any `window_s` seconds. */
export function velocity({ max, window_s }: ConstraintOf<'payment.velocity'>): Rule {
  const reach = rolling(window_s * SECOND);
  return {
    reach,
    limits: [limitOf(max, rolled(window_s * SECOND))],
    judge(judged) {
      const count = countFrom(reach.from(judged.context.position.at, judged.mandate.anchor), judged);
      return count > max ? breach('velocity_exceeded', numbersOf(count, max)) : compliant(numbersOf(count, max));
    },
  };
}

/** Payments are counted alike in every unit. */
const ANY_UNIT: Unit = { currency: 'USD' };

/** Payments from `from` on, with the one that is judged. */
const countFrom = (from: number | null, { context: { meter, position } }: Judged): number =>
  meter.before(ANY_UNIT, from, position).payments + 1;

const limitOf = (most: number, periodOf: Limit['periodOf']): Limit => ({
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
