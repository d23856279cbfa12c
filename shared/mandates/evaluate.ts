import type { BudgetUse, ConstraintResult, Evaluate, EvaluationResult, JudgedMandate } from './evaluation.ts';
import { ruleOf } from './rules.ts';
import { approvalOf } from './approval.ts';
import { breach, type JudgedPayment } from './rule.ts';
import { timestamp } from '#shared/values/time.ts';

/**
 * Evaluates a payment against a mandate: first the mandate's own conditions (types `mandate.…`), then every constraint in order. The worst
 * result is the overall one. `budgets` number the constraints as the mandate does; in `constraints` they come last, so that number `n` of
 * `m` is `constraints.at(n - m)`. Never throws, whatever the constraints contain.
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

/**
 * What of a mandate is broken beside its constraints: whose it is, whether it is in force, and whether a person has to be there. What
 * holds is not listed, so that a payment as it should be has one row a constraint.
 */
function judgeTerms(judged: JudgedPayment): ConstraintResult[] {
  const { mandate, event, context } = judged;
  const results: ConstraintResult[] = [];
  if (mandate.agent_id !== event.agent_id)
    results.push({
      type: 'mandate.agent',
      ...breach('agent_not_allowed', { observed: event.agent_id, limit: mandate.agent_id }),
    });
  const { state } = mandate;
  if (!inForce(mandate))
    results.push({ type: 'mandate.state', ...breach('mandate_inactive', { observed: state, limit: 'active' }) });
  const outside = outsideValidity(mandate, context.position.at);
  if (outside) results.push(outside);
  if (mandate.human_presence === 'required' && approvalOf(event) === null) {
    const numbers = { observed: null, limit: 'required' };
    results.push({ type: 'mandate.human_presence', ...breach('approval_missing', numbers) });
  }
  return results;
}

/** One that is used up is in force: what goes beyond it breaks its budget. */
const inForce = ({ state }: JudgedMandate): boolean => state === 'active' || state === 'exhausted';

/** From `valid_from` on and before `valid_until`. */
function outsideValidity({ valid_from, valid_until }: JudgedMandate, at: number): ConstraintResult | null {
  const early = valid_from !== null && at < valid_from;
  if (!early && (valid_until === null || at < valid_until)) return null;
  // An interval of ISO 8601-2: two dots for an open end.
  const numbers = { observed: timeText(at), limit: `${timeText(valid_from)}/${timeText(valid_until)}` };
  return { type: 'mandate.validity', ...breach(early ? 'mandate_inactive' : 'mandate_expired', numbers) };
}

const LAST_TIME = 8_640_000_000_000_000;

/** Signed mandates of others may name times that no calendar has. */
const timeText = (at: number | null): string => {
  if (at === null) return '..';
  return Math.abs(at) <= LAST_TIME ? timestamp(at) : String(at);
};
