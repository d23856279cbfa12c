import type { BudgetUse, ConstraintResult, Evaluate, EvaluationResult } from './evaluation.ts';
import { ruleOf } from './rules.ts';
import { judgeTerms } from './terms.ts';

/**
 * Holds a payment against a mandate: first what the mandate says itself (types `mandate.…`), then every constraint in its order, none
 * left out. The worst is the whole. `budgets` number the constraints as the mandate does; in `constraints` they come last, so that number
 * `n` of `m` is `constraints.at(n - m)`. Never throws, whatever the constraints hold.
 */
export const evaluate: Evaluate = (mandate, event, context) => {
  const judged = { mandate, event, context };
  const constraints = judgeTerms(judged);
  const budgets: BudgetUse[] = [];
  for (const [constraint, terms] of mandate.constraints.entries()) {
    const { use, ...answer } = ruleOf(terms).judge(judged);
    constraints.push({ type: typeNameOf(terms), ...answer });
    if (use) budgets.push({ constraint, ...use });
  }
  return { result: worstOf(constraints), constraints, budgets };
};

function worstOf(constraints: readonly ConstraintResult[]): EvaluationResult {
  if (constraints.some(({ result }) => result === 'breach')) return 'breach';
  return constraints.some(({ result }) => result === 'unresolved') ? 'unresolved' : 'compliant';
}

const LONGEST_TYPE = 100;

/** Imported constraints are what others signed: their type may be anything, of any length. */
function typeNameOf(constraint: unknown): string {
  const type: unknown = (constraint as { type?: unknown } | null | undefined)?.type;
  return typeof type === 'string' ? type.slice(0, LONGEST_TYPE) : 'unknown';
}
