import type { Rates } from '#shared/values/price_in_usd.ts';
import type { ReportedEvent } from '#shared/events/log/reported_event.ts';

export type EvaluationResult = 'compliant' | 'breach' | 'unresolved';

/** How one constraint came out. `observed`, `limit` and `remaining` are for people and programs alike: decimal strings, or lists. */
export type ConstraintResult = {
  type: string;
  result: EvaluationResult;
  code?: string;
  observed: string | null;
  limit: string | null;
  remaining?: string;
  /** How far over a limit of amount or count: observed ÷ limit, for scores only; absent where there is no such measure. */
  over?: number;
};

export type Evaluation = { result: EvaluationResult; constraints: ConstraintResult[]; budgets: BudgetUse[] };

/**
 * How much of a budget was used before and with this payment, in hundredths of a percent rounded down, for the period `period`; and whether this
 * payment alone uses exactly all of it. `in_all`: where it is exceeded and the period has payments after this one, reported before it, what they
 * all come to, in the units of the budget, and how many times the limit that is.
 */
export type BudgetUse = {
  constraint: number;
  period: string;
  before: number;
  after: number;
  at_once?: true;
  in_all?: { value: string; over: number };
};

/** A version of a mandate, as a payment is held against it. `from` is when the version began. Times are milliseconds since 1970. */
export type JudgedMandate = {
  id: string;
  agent_id: string;
  version: number;
  state: 'active' | 'paused' | 'revoked' | 'exhausted';
  valid_from: number | null;
  valid_until: number | null;
  /** Where periods of two weeks are counted from: the beginning of the mandate. */
  anchor: number;
  human_presence: 'required' | 'not_required';
  /** Known types in the shapes of `constraints.ts`; others as they came. */
  constraints: readonly ({ type: string } & Record<string, unknown>)[];
};

/** What earlier payments under the mandate came to. */
export type Spent = {
  payments: number;
  /** In the unit that was asked for. */
  value: bigint;
  /** Payments that could not be expressed in that unit. */
  unpriced: number;
};

/** What a sum is counted in: millionths of a currency's whole unit, or atomic units of an asset (`<CAIP-2>/<address>`). */
export type Unit = { currency: string } | { asset: string };

/**
 * What was paid under the mandate by other payments: those that were first paid at `from` or later, and before the position of the
 * payment that is judged (its time, then its place in the log). `from` null: since the beginning.
 */
export type Meter = { before(unit: Unit, from: number | null, position: Position): Spent };

/** Where a payment stands in time: when it was first paid (or reported), then by its first event's place in the log. */
export type Position = { at: number; seq: number };

export type EvaluationContext = {
  /** The payment's place in time: what windows and times of day are judged at. */
  position: Position;
  meter: Meter;
  rates: Rates;
  /** The meter has the payment itself at a later position, where it stood before this report. */
  stood_later?: boolean;
};

/** A payment held against a mandate: pure, see `evaluate.ts`. */
export type Evaluate = (mandate: JudgedMandate, event: ReportedEvent, context: EvaluationContext) => Evaluation;
