import { createCalendar, type Period } from './calendar.ts';
import {
  breach,
  compliant,
  type ConstraintOf,
  endOf,
  type Reach,
  type Rule,
  shareOf,
  timesOf,
  unresolved,
} from './rule.ts';
import { createScale, moneyOf, unitOf } from './scale.ts';
import { DAY, HOUR, timestamp } from '#shared/values/time.ts';

type Budget = ConstraintOf<'payment.budget'>;

/**
 * What was paid in the period, this payment included, is at most `max`. Earlier payments that cannot be expressed in the unit leave it
 * open, unless the others exceed it alone.
 */
export function budget(constraint: Budget): Rule {
  const scale = createScale(unitOf(constraint));
  const max = scale.units(constraint.max);
  const limit = scale.text(max);
  const { reach, periodAt, periodOf } = windowOf(constraint);
  const leftOf = (total: bigint) => scale.text(max > total ? max - total : 0n);
  return {
    reach,
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
    judge({ mandate, event, context: { rates, position, meter } }) {
      const spent = meter.before(scale.unit, reach.from(position.at, mandate.anchor), position);
      const own = scale.measure(moneyOf(event), rates, position.at);
      const total = spent.value + (own?.ceil ?? 0n);
      const known = { observed: scale.text(total), limit };
      const numbers = { ...known, remaining: leftOf(total), over: timesOf(total, max) };
      const use = own && {
        use: { period: periodOf(position.at), before: shareOf(spent.value, max), after: shareOf(total, max) },
      };
      if (total > max) return { ...breach('budget_exceeded', numbers), ...use };
      if (!own || spent.unpriced > 0) return { ...unresolved('currency_mismatch', known), ...use };
      return { ...compliant(numbers), ...use };
    },
  };
}

/** Which payments count, from when to when at a moment, and what the period is called in which a threshold is crossed once. */
type Window = { reach: Reach; periodAt(at: number): Period | null; periodOf(at: number): string };

function windowOf({ interval, window, tz }: Budget): Window {
  if (interval === 'per_mandate')
    return { reach: { from: () => null, until: () => null }, periodAt: () => null, periodOf: () => 'all' };
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

/** A window that ends with the payment and is `length` milliseconds long: what was paid exactly so long ago is out of it. */
export const rolling = (length: number): Reach => ({ from: at => at - length + 1, until: at => at + length });

/** The window of such a length that ends with a moment, and has it in it. */
export const rolled =
  (length: number) =>
  (at: number): Period => ({ start: at - length + 1, end: at + 1 });

const lengths = { hourly: HOUR, daily: DAY, weekly: 7 * DAY, monthly: 30 * DAY, yearly: 365 * DAY };
