import type { z } from 'zod';
import { approvalOf } from '#shared/mandates/approval.ts';
import { constraint, denomination, example, inOneUnit, Money } from '#shared/mandates/constraint_fields.ts';
import { breach, compliant, type Rule, unresolved } from '#shared/mandates/rule.ts';
import { createScale, moneyOf, unitOf } from '#shared/mandates/scale.ts';
import { type KindWords, moneyIn } from './words.ts';

/** Above `above`, a person has approved. Being over it is no breach in itself, so there is no measure of how far. */
export const approvalRequired = { schema, rule };

export const approvalRequiredWords: KindWords = {
  type: 'payment.approval_required',
  name: 'Human approval',
  limit: terms => `human approval above ${moneyIn(terms, 'above')}`,
  verdict: ({ observed, limit }) => `${observed} is above ${limit} and has no human approval`,
  fields: [{ name: 'above', label: 'Above', as: 'money' }],
  initial: { above: '', currency: 'USD' },
};

function schema() {
  return constraint('payment.approval_required', { above: Money, ...denomination })
    .superRefine(inOneUnit)
    .meta(example('payment.approval_required', { above: '10000', currency: 'USD' }));
}

function rule(constraint: z.output<ReturnType<typeof schema>>): Rule {
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
