import type { JudgedMandate } from './evaluation.ts';
import type { Reach } from './rule.ts';
import { ruleOf } from './rules.ts';

type Constraints = JudgedMandate['constraints'];

/**
 * The first moment whose payments a book needs for judging one at `at`; null: all there are. `at` itself when the constraints look at no
 * other payment. `anchor` is that of the mandate.
 */
export const horizon = (constraints: Constraints, at: number, anchor: number): number | null =>
  reachesOf(constraints)
    .map(reach => reach.from(at, anchor))
    .reduce((first, start) => (first === null || start === null ? null : Math.min(first, start)), at);

/**
 * The first moment from which on a payment at `at` makes no difference to how others are judged; null: it always does. `at` itself when
 * the constraints look at no other payment.
 */
export const affectedUntil = (constraints: Constraints, at: number, anchor: number): number | null =>
  reachesOf(constraints)
    .map(reach => reach.until(at, anchor))
    .reduce((last, end) => (last === null || end === null ? null : Math.max(last, end)), at);

/** Whether a payment is held against any other by these. */
export const looksBack = (constraints: Constraints): boolean => reachesOf(constraints).length > 0;

function reachesOf(constraints: Constraints): readonly Reach[] {
  const cached = reaches.get(constraints);
  if (cached) return cached;
  const list = constraints.flatMap(constraint => ruleOf(constraint).reach ?? []);
  reaches.set(constraints, list);
  return list;
}

/** Constraints do not change: a change makes a new version of the mandate. */
const reaches = new WeakMap<Constraints, readonly Reach[]>();
