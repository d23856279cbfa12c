import type { Period } from './calendar.ts';
import type { BudgetUse, ConstraintResult, EvaluationContext, JudgedMandate, Meter, Unit } from './evaluation.ts';
import type { ReportedEvent } from '#shared/events/log/reported_event.ts';

/** A constraint made ready: what follows from its parameters alone is worked out once, and then it judges any number of payments. */
export type Rule = {
  judge(judged: JudgedPayment): ConstraintAnswer;
  /** Which other payments it looks at; absent when it looks at none. */
  reach?: Reach;
  /** What the period of a moment is called: payments that go beyond the limit in one are told of together. Absent where each is told of alone. */
  periodName?(at: number): string;
  /** The limits it sets to several payments together; absent when it looks at each by itself. */
  limits?: readonly PeriodLimit[];
};

/** A limit of amount or of number, for a time. */
export type PeriodLimit = {
  /** The time that one moment belongs to; null: the whole of the mandate. `anchor` is that of the mandate. */
  periodOf(at: number, anchor: number): Period | null;
  /** What is counted in; null: payments. */
  unit: Unit | null;
  /** As in a result. */
  limit: string;
  /** What was paid in a period, by the book of the mandate. */
  use(meter: Meter, period: Period | null): Use;
};

/** `remaining` as in a result. `unpriced` payments could not be expressed in the unit: `used` is without them. */
type Use = { used: string; remaining: string; unpriced: number };

/** A payment and what it is held against. */
export type JudgedPayment = { mandate: JudgedMandate; event: ReportedEvent; context: EvaluationContext };

/** How a constraint came out; of a budget, also how much of it is used. */
export type ConstraintAnswer = Omit<ConstraintResult, 'type'> & { use?: Omit<BudgetUse, 'constraint'> };

/** How far apart two payments may be for the earlier to matter to the later. `anchor` is that of the mandate; all in milliseconds since 1970. */
export type Reach = {
  /** The first moment whose payments matter to one at `at`; null: since the beginning. */
  from(at: number, anchor: number): number | null;
  /** The first moment from which on a payment at `at` matters no more; null: it always does. */
  until(at: number, anchor: number): number | null;
};

/** A window that ends with the payment and is `length` milliseconds long: what was paid exactly so long ago is out of it. */
export const rolling = (length: number): Reach => ({ from: at => at - length + 1, until: at => at + length });

/** The window of such a length that ends with a moment, and has it in it. */
export const rolled =
  (length: number) =>
  (at: number): Period => ({ start: at - length + 1, end: at + 1 });

/** After everything that was ever paid. */
export const AT_LAST = { at: Infinity, seq: Infinity };

/** The position that everything before the end of a period is before. */
export const endOf = (period: Period | null) => (period ? { at: period.end, seq: -Infinity } : AT_LAST);

type Numbers = Pick<ConstraintResult, 'observed' | 'limit' | 'remaining' | 'over'>;

export const compliant = (numbers: Numbers): ConstraintAnswer => ({ result: 'compliant', ...numbers });
export const breach = (code: string, numbers: Numbers): ConstraintAnswer => ({ result: 'breach', code, ...numbers });
export const unresolved = (code: string, numbers: Numbers): ConstraintAnswer => ({
  result: 'unresolved',
  code,
  ...numbers,
});

/** Beyond this many times a limit, one breach is as grave as another. A limit of nothing is exceeded this often by anything. */
const MOST_TIMES = 1_000_000n;

/** Observed ÷ limit to four decimals, for scores. */
export const timesOf = (observed: bigint, limit: bigint): number =>
  Number(capped(limit === 0n ? null : (20_000n * observed + limit) / (2n * limit), observed, 10_000n * MOST_TIMES)) /
  10_000;

/** The name of the period of a limit on the mandate as a whole. */
export const FOR_ALL = 'all';

/** How much of a limit is used, in hundredths of a percent rounded down, at most 1,000,000. */
export const shareOf = (observed: bigint, limit: bigint): number =>
  Number(capped(limit === 0n ? null : (10_000n * observed) / limit, observed, 1_000_000n));

function capped(ratio: bigint | null, observed: bigint, most: bigint): bigint {
  if (ratio === null) return observed > 0n ? most : 0n;
  return ratio < most ? ratio : most;
}

const LONGEST_LIST = 200;

/** A list of a constraint as text, cut where it gets long: it stands in every evaluation. */
export function listed(items: readonly string[]): string {
  let text = '';
  for (const [index, item] of items.entries()) {
    const next = index === 0 ? item : `${text}, ${item}`;
    if (index > 0 && next.length > LONGEST_LIST) return `${text} and ${items.length - index} more`;
    text = next;
  }
  return text;
}
