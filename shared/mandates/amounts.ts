import { approvalOf } from './approval.ts';
import { breach, compliant, type ConstraintOf, type Rule, timesOf, unresolved } from './rule.ts';
import { createScale, moneyOf, unitOf } from './scale.ts';

/** One payment is at least `min` and at most `max`. */
export function amountRange(constraint: ConstraintOf<'payment.amount_range'>): Rule {
  const scale = createScale(unitOf(constraint));
  const min = scale.units(constraint.min ?? '0');
  const max = scale.units(constraint.max);
  const limit = scale.text(max);
  return {
    judge({ event, context: { rates, position } }) {
      const amount = scale.measure(moneyOf(event), rates, position.at);
      if (!amount) return unresolved('currency_mismatch', { observed: null, limit });
      if (amount.floor < min)
        return breach('amount_below_min', { observed: scale.text(amount.floor), limit: scale.text(min) });
      const numbers = { observed: scale.text(amount.ceil), limit, over: timesOf(amount.ceil, max) };
      return amount.ceil > max ? breach('amount_above_max', numbers) : compliant(numbers);
    },
  };
}

/** Above `above`, a person has approved. Being over it is no breach in itself, so there is no measure of how far. */
export function approvalRequired(constraint: ConstraintOf<'payment.approval_required'>): Rule {
  const scale = createScale(unitOf(constraint));
  const above = scale.units(constraint.above);
  const limit = scale.text(above);
  return {
    judge({ event, context: { rates, position } }) {
      const amount = scale.measure(moneyOf(event), rates, position.at);
      const numbers = { observed: amount && scale.text(amount.ceil), limit };
      if (approvalOf(event) !== null) return compliant(numbers);
      if (!amount) return unresolved('currency_mismatch', numbers);
      return amount.ceil > above ? breach('approval_missing', numbers) : compliant(numbers);
    },
  };
}
