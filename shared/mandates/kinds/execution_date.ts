import type { z } from 'zod';
import { constraint, example } from '#shared/mandates/constraint_fields.ts';
import { breach, compliant, type Rule } from '#shared/mandates/rule.ts';
import { TimeInput } from '#shared/values/parsed_text.ts';
import { timestamp } from '#shared/values/time.ts';
import type { KindWords } from './words.ts';

/** The dates between which payments may be made. */
export const executionDate = { schema, rule };

export const executionDateWords: KindWords = {
  type: 'payment.execution_date',
  name: 'Execution date',
  limit({ not_before, not_after }, { time }) {
    const after = typeof not_before === 'string' ? [`not before ${time(not_before)}`] : [];
    const before = typeof not_after === 'string' ? [`not after ${time(not_after)}`] : [];
    return [...after, ...before].join(' and ');
  },
  verdict: ({ observed, limit }) => `paid at ${observed}; allowed: ${limit}`,
  fields: [
    { name: 'not_before', label: 'Not before', as: 'time' },
    { name: 'not_after', label: 'Not after', as: 'time' },
  ],
  initial: {},
};

function schema() {
  return constraint('payment.execution_date', { not_before: TimeInput.optional(), not_after: TimeInput.optional() })
    .refine(({ not_before, not_after }) => not_before !== undefined || not_after !== undefined, {
      error: 'must have not_before or not_after',
    })
    .refine(({ not_before, not_after }) => !not_before || !not_after || not_before <= not_after, {
      path: ['not_after'],
      error: 'must not be earlier than not_before',
    })
    .meta(
      example('payment.execution_date', {
        not_before: '2026-12-01T00:00:00.000Z',
        not_after: '2026-12-24T00:00:00.000Z',
      }),
    );
}

/** Paid at `not_before` or later and at `not_after` or earlier: both are inclusive, as in AP2. */
function rule({ not_before, not_after }: z.output<ReturnType<typeof schema>>): Rule {
  const first = not_before === undefined ? -Infinity : Date.parse(not_before);
  const last = not_after === undefined ? Infinity : Date.parse(not_after);
  // An interval of ISO 8601-2: two dots for an open end.
  const limit = `${not_before ?? '..'}/${not_after ?? '..'}`;
  return {
    judge({ context: { position } }) {
      const numbers = { observed: timestamp(position.at), limit };
      return position.at >= first && position.at <= last ? compliant(numbers) : breach('outside_window', numbers);
    },
  };
}
