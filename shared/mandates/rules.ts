import { Constraint, constraintTypes } from './constraints.ts';
import { kinds } from '#shared/mandates/kinds/index.ts';
import { type Rule, unresolved } from './rule.ts';

/** The rule of a constraint. One that is of no known type, or whose parameters are not those of its type, is left open by every payment. */
export function ruleOf(constraint: unknown): Rule {
  if (typeof constraint !== 'object' || constraint === null) return unknownRule;
  const cached = ready.get(constraint);
  if (cached) return cached;
  const answer = Constraint.safeParse(constraint);
  const rule = answer.success ? (rulesByType.get(answer.data.type)?.(answer.data) ?? unknownRule) : unknownRule;
  ready.set(constraint, rule);
  return rule;
}

/** Constraints do not change: a change makes a new version of the mandate. */
const ready = new WeakMap<object, Rule>();

const unknownRule: Rule = { judge: () => unresolved('unknown_constraint', { observed: null, limit: null }) };

/** Each rule takes the constraint of its own type, which the compiler cannot follow through the table. */
const rulesByType = new Map(
  constraintTypes.map((type, index) => [type, kinds[index]?.rule as (constraint: Constraint) => Rule]),
);
