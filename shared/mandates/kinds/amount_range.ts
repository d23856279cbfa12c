import type { z } from 'zod';
import { constraint, denomination, example, inOneUnit, isAtMost, Money } from '#shared/mandates/constraint_fields.ts';
import { breach, compliant, type Rule, timesOf, unresolved } from '#shared/mandates/rule.ts';
import { createScale, moneyOf, unitOf } from '#shared/mandates/scale.ts';
import { type KindWords, moneyIn } from './words.ts';

/** One payment is at least `min` and at most `max`. */
export const amountRange = { schema, rule };

export const amountRangeWords: KindWords = {
  type: 'payment.amount_range',
  name: 'Payment amount',
  limit(terms) {
    const most = `at most ${moneyIn(terms, 'max')} per payment`;
    return terms['min'] === undefined || terms['min'] === '0' ? most : `at least ${moneyIn(terms, 'min')} and ${most}`;
  },
  verdict({ code, observed, limit }) {
    const bound = code === 'amount_below_min' ? 'at least' : 'at most';
    return `the payment is ${observed}; ${bound} ${limit} is allowed`;
  },
  fields: [
    { name: 'min', label: 'Minimum', as: 'money', optional: true },
    { name: 'max', label: 'Maximum', as: 'money' },
  ],
  initial: { max: '', currency: 'USD' },
};

function schema() {
  return constraint('payment.amount_range', { min: Money.optional(), max: Money, ...denomination })
    .superRefine(inOneUnit)
    .refine(({ min, max }) => min === undefined || isAtMost(min, max), {
      path: ['max'],
      error: 'must not be less than min',
    })
    .meta(example('payment.amount_range', { min: '0', max: '5000', currency: 'USD' }));
}

function rule(constraint: z.output<ReturnType<typeof schema>>): Rule {
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
