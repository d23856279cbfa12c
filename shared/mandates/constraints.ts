import { z } from 'zod';
import { kinds } from '#shared/mandates/kinds/index.ts';

type Kind = (typeof kinds)[number];

const schemas = kinds.map(kind => kind.schema()) as [ReturnType<Kind['schema']>, ...ReturnType<Kind['schema']>[]];

export const constraintTypes = schemas.map(schema => schema.shape.type.value);

/** One limit of a mandate. Money counts minor units of `currency`, or atomic units of `asset`. */
export const Constraint = z
  .discriminatedUnion('type', schemas, {
    error: issue => (issue.code === 'invalid_union' ? `must be one of ${constraintTypes.join(', ')}` : undefined),
  })
  .meta({
    id: 'NewConstraint',
    outputId: 'Constraint',
    description: 'One limit. Money counts minor units of `currency`, or atomic units of `asset`; exactly one is given.',
  });
export type Constraint = z.output<typeof Constraint>;

/** A stored constraint: an imported one may be of a type that only its signer knows, which leaves every payment unresolved. */
export const StoredConstraint = z.union([
  Constraint,
  z
    .looseObject({ type: z.string() })
    .meta({ id: 'UnknownConstraint', description: 'Of an imported mandate; it cannot be evaluated here.' }),
]);
export type StoredConstraint = z.output<typeof StoredConstraint>;
