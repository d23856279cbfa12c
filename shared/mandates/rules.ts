import { amountRange, approvalRequired } from './amounts.ts';
import { budget } from './budgets.ts';
import { Constraint } from './constraints.ts';
import { agentRecurrence, velocity } from './counts.ts';
import {
  allowedAssets,
  allowedCategories,
  allowedCountries,
  allowedCurrencies,
  allowedInstruments,
  allowedNetworks,
  allowedPisps,
  allowedRails,
  allowedResources,
  blockedCategories,
  blockedCountries,
} from './lists.ts';
import { allowedPayees, blockedPayees } from './payees.ts';
import { type ConstraintOf, type Rule, unresolved } from './rule.ts';
import { executionDate, timeOfDay } from './times.ts';

/** The rule of a constraint. One that is of no known type, or whose parameters are not those of its type, is left open by every payment. */
export function ruleOf(constraint: unknown): Rule {
  if (typeof constraint !== 'object' || constraint === null) return unknownRule;
  const known = ready.get(constraint);
  if (known) return known;
  const answer = Constraint.safeParse(constraint);
  const rule = answer.success ? makeRule(answer.data) : unknownRule;
  ready.set(constraint, rule);
  return rule;
}

/** Constraints do not change: a change makes a new version of the mandate. */
const ready = new WeakMap<object, Rule>();

const unknownRule: Rule = { judge: () => unresolved('unknown_constraint', { observed: null, limit: null }) };

const rules: { [T in Constraint['type']]: (constraint: ConstraintOf<T>) => Rule } = {
  'payment.amount_range': amountRange,
  'payment.budget': budget,
  'payment.agent_recurrence': agentRecurrence,
  'payment.velocity': velocity,
  'payment.allowed_payees': allowedPayees,
  'payment.blocked_payees': blockedPayees,
  'payment.allowed_payment_instruments': allowedInstruments,
  'payment.allowed_pisps': allowedPisps,
  'payment.allowed_categories': allowedCategories,
  'payment.blocked_categories': blockedCategories,
  'payment.allowed_rails': allowedRails,
  'payment.allowed_currencies': allowedCurrencies,
  'payment.allowed_networks': allowedNetworks,
  'payment.allowed_countries': allowedCountries,
  'payment.blocked_countries': blockedCountries,
  'payment.allowed_assets': allowedAssets,
  'payment.execution_date': executionDate,
  'payment.time_of_day': timeOfDay,
  'payment.allowed_resources': allowedResources,
  'payment.approval_required': approvalRequired,
  'payment.reference': reference,
};

/** Each rule takes the constraint of its own type, which the compiler cannot follow through the table. */
const makeRule = (constraint: Constraint): Rule =>
  (rules[constraint.type] as (constraint: Constraint) => Rule)(constraint);

/** Which checkout a payment belongs to is said by signed evidence alone; the verifier of AP2 mandates compares it. */
function reference({ hash }: ConstraintOf<'payment.reference'>): Rule {
  return { judge: () => unresolved('reference_not_comparable', { observed: null, limit: hash }) };
}
