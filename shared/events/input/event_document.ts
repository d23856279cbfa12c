import { statusesOfType } from '#shared/values/event_types.ts';
import { condition, type Described, exactlyOne, replaceObject } from '#shared/json/json_schema.ts';

// Checks that event_normalize.ts makes beyond its schema, for the OpenAPI document only: zod's unions would give other messages, and take
// longer.

/** An event names its agent and its owner by one of two members each, and its type says which status the payment has. */
export function describeEvent(context: Described): void {
  exactlyOne(['agent', 'agent_id'], ['owner', 'owner_id'])(context);
  Object.assign(context.jsonSchema, statusRule(Object.entries(statusesOfType)));
}

const statusRule = ([first, ...others]: [string, readonly string[]][]): object =>
  first
    ? condition(
        { type: { const: first[0] } },
        { properties: { payment: { properties: { status: { enum: first[1] } }, additionalProperties: true } } },
        statusRule(others),
      )
    : {};

/** An amount is in minor units of a currency, or in atomic units of an asset. */
export function describeAmount({ jsonSchema }: Described): void {
  const { value, currency, asset } = jsonSchema['properties'] as Record<string, unknown>;
  const variant = (title: string, unit: string, denomination: Record<string, unknown>) => ({
    title,
    type: 'object',
    properties: { value, unit: { type: 'string', const: unit }, ...denomination },
    required: ['value', 'unit', ...Object.keys(denomination)],
    additionalProperties: false,
  });
  replaceObject(jsonSchema, [
    variant('Money of a currency', 'minor', { currency }),
    variant('Tokens', 'atomic', { asset }),
  ]);
}

/** A value in base64 is a string. */
export function describeEvidence({ jsonSchema }: Described): void {
  const text = { properties: { value: { type: 'string', contentEncoding: 'base64' } } };
  Object.assign(jsonSchema, condition({ encoding: { const: 'base64' } }, text));
}
