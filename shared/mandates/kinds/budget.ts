import { z } from 'zod';
import { createCalendar, type Period } from '#shared/mandates/calendar.ts';
import { constraint, denomination, example, inOneUnit, Money, TimeZone } from '#shared/mandates/constraint_fields.ts';
import {
  breach,
  compliant,
  endOf,
  FOR_ALL,
  type JudgedPayment,
  type Reach,
  rolled,
  rolling,
  type Rule,
  shareOf,
  timesOf,
  unresolved,
} from '#shared/mandates/rule.ts';
import { createScale, moneyOf, unitOf } from '#shared/mandates/scale.ts';
import { DAY, HOUR, timestamp, zonesText } from '#shared/values/time.ts';
import { type KindWords, moneyIn, type ConstraintTerms, zoneField } from './words.ts';

/** What may be paid in all, in each period or in any time of a length. */
export const budget = { schema, rule };

export const budgetWords: KindWords = {
  type: 'payment.budget',
  name: 'Budget',
  limit: terms =>
    `at most ${moneyIn(terms, 'max')} in ${isInAll(terms) ? 'all' : periodText(terms).replace(/^the /, 'a calendar ')}`,
  verdict: ({ observed, limit, terms }) =>
    `budget of ${periodText(terms)}: ${observed} with this payment, ${limit} allowed`,
  sums: true,
  fields: [
    { name: 'max', label: 'Maximum', as: 'money' },
    {
      name: 'interval',
      label: 'Period',
      as: 'choice',
      of: [
        ['hourly', 'hour'],
        ['daily', 'day'],
        ['weekly', 'week'],
        ['monthly', 'month'],
        ['yearly', 'year'],
        ['per_mandate', 'whole mandate'],
      ],
    },
    {
      name: 'window',
      label: 'Period type',
      as: 'choice',
      of: [
        ['calendar', 'Calendar'],
        ['rolling', 'Rolling'],
      ],
      shown: terms => !isInAll(terms),
    },
    { ...zoneField, shown: terms => !isInAll(terms) && terms['window'] !== 'rolling' },
  ],
  initial: { max: '', currency: 'USD', interval: 'monthly', window: 'calendar', tz: 'UTC' },
};

const isInAll = ({ interval }: ConstraintTerms): boolean => interval === 'per_mandate';

/** The time that a budget is for, as people say it. */
function periodText(terms: ConstraintTerms): string {
  const { interval, window, tz } = terms;
  if (isInAll(terms)) return 'the whole mandate';
  const [name, length] = intervalNames.get(interval) ?? ['period', 'a period'];
  return window === 'rolling'
    ? `any ${length}`
    : `the ${name}${typeof tz !== 'string' || tz === 'UTC' ? '' : ` (${zonesText(tz)})`}`;
}

const intervalNames = new Map<unknown, [name: string, length: string]>([
  ['hourly', ['hour', '60 minutes']],
  ['daily', ['day', '24 hours']],
  ['weekly', ['week', '7 days']],
  ['monthly', ['month', '30 days']],
  ['yearly', ['year', '365 days']],
]);

function schema() {
  return constraint('payment.budget', {
    max: Money,
    ...denomination,
    interval: z.enum(['per_mandate', 'hourly', 'daily', 'weekly', 'monthly', 'yearly']),
    window: z.enum(['calendar', 'rolling']).default('calendar'),
    tz: TimeZone,
  })
    .superRefine(inOneUnit)
    .meta(
      example('payment.budget', { max: '100000', currency: 'USD', interval: 'daily', window: 'calendar', tz: 'UTC' }),
    );
}

type Budget = z.output<ReturnType<typeof schema>>;

/**
 * What was paid in the period, this payment included, is at most `max`. Earlier payments that cannot be expressed in the unit leave it
 * open, unless the others exceed it alone.
 */
function rule(constraint: Budget): Rule {
  const scale = createScale(unitOf(constraint));
  const max = scale.units(constraint.max);
  const limit = scale.text(max);
  const { reach, periodAt, periodOf } = windowOf(constraint);
  const isRolling = constraint.window === 'rolling' && constraint.interval !== 'per_mandate';
  /** What was paid in the same period after a payment that is reported late. */
  const laterThan = ({ mandate, context: { position, meter, stood_later } }: JudgedPayment): bigint => {
    if (isRolling || stood_later) return 0n;
    const start = reach.from(position.at, mandate.anchor);
    const until = meter.before(scale.unit, start, { at: position.at, seq: position.seq + 1 });
    return meter.before(scale.unit, start, endOf(periodAt(position.at))).value - until.value;
  };
  const leftOf = (total: bigint) => scale.text(max > total ? max - total : 0n);
  return {
    reach,
    periodName: at => `${constraint.interval} ${periodOf(at)}`,
    limits: [
      {
        periodOf: periodAt,
        unit: scale.unit,
        limit,
        use(meter, period) {
          const { value, unpriced } = meter.before(scale.unit, period?.start ?? null, endOf(period));
          return { used: scale.text(value), remaining: leftOf(value), unpriced };
        },
      },
    ],
    judge(judged) {
      const { mandate, event, context } = judged;
      const { rates, position, meter } = context;
      const spent = meter.before(scale.unit, reach.from(position.at, mandate.anchor), position);
      const own = scale.measure(moneyOf(event), rates, position.at);
      const total = spent.value + (own?.ceil ?? 0n);
      const amounts = { observed: scale.text(total), limit };
      const numbers = { ...amounts, remaining: leftOf(total), over: timesOf(total, max) };
      const later = total > max ? laterThan(judged) : 0n;
      const use = own && {
        use: {
          period: periodOf(position.at),
          before: shareOf(spent.value, max),
          after: shareOf(total, max),
          ...(spent.value === 0n && total === max && { at_once: true as const }),
          ...(later > 0n && { in_all: { value: scale.text(total + later), over: timesOf(total + later, max) } }),
        },
      };
      if (total > max) return { ...breach('budget_exceeded', numbers), ...use };
      if (!own || spent.unpriced > 0) return { ...unresolved('currency_mismatch', amounts), ...use };
      return { ...compliant(numbers), ...use };
    },
  };
}

/** Which payments count, from when to when at a moment, and what the period is called in which a threshold is crossed once. */
type Window = { reach: Reach; periodAt(at: number): Period | null; periodOf(at: number): string };

function windowOf({ interval, window, tz }: Budget): Window {
  if (interval === 'per_mandate')
    return { reach: { from: () => null, until: () => null }, periodAt: () => null, periodOf: () => FOR_ALL };
  if (window === 'rolling') {
    const length = lengths[interval];
    // A rolling window has no beginning of its own: for thresholds, time is cut into lengths of the window since 1970.
    const periodOf = namedByStart(at => Math.floor(at / length) * length);
    return { reach: rolling(length), periodAt: rolled(length), periodOf };
  }
  const periodAt = createCalendar(interval, tz);
  return {
    reach: { from: at => periodAt(at).start, until: at => periodAt(at).end },
    periodAt,
    periodOf: namedByStart(at => periodAt(at).start),
  };
}

/** Names periods by when they begin. Remembers the last: payments come in order as a rule. */
function namedByStart(startOf: (at: number) => number): (at: number) => string {
  let last = { start: NaN, name: '' };
  return at => {
    const start = startOf(at);
    if (start !== last.start) last = { start, name: timestamp(start) };
    return last.name;
  };
}

const lengths = { hourly: HOUR, daily: DAY, weekly: 7 * DAY, monthly: 30 * DAY, yearly: 365 * DAY };
