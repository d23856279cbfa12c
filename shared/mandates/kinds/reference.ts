import { z } from 'zod';
import { constraint, example } from '#shared/mandates/constraint_fields.ts';
import { type Rule, unresolved } from '#shared/mandates/rule.ts';
import type { KindWords } from './words.ts';

/** Only signed evidence says which checkout a payment belongs to; the verifier of AP2 mandates compares it. */
export const reference = {
  schema: () =>
    constraint('payment.reference', {
      hash: z
        .string()
        .max(200)
        .regex(/^[!-~]+$/, 'must be printable ASCII without spaces'),
    }).meta(example('payment.reference', { hash: 'n4bQgYhMfWWaL-qgxVrQFaO_TxsrC4Is0V1sFbDwCgg' })),
  rule: ({ hash }: { hash: string }): Rule => ({
    judge: () => unresolved('reference_not_comparable', { observed: null, limit: hash }),
  }),
};

export const referenceWords: KindWords = {
  type: 'payment.reference',
  name: 'Checkout reference',
  limit: ({ hash }) => `only with the reference ${String(hash)}`,
  fields: [{ name: 'hash', label: 'Hash', as: 'text' }],
  initial: { hash: '' },
};
