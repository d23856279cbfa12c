/** The argument of an `override` in a zod schema's metadata: the JSON Schema of the OpenAPI document, to be changed in place. */
export type Described = { jsonSchema: { [member: string]: unknown } };

/**
 * States that an object has exactly one member of each of these groups, which zod's refinements do not document: one object per choice, as
 * generators of clients and tests expect.
 */
export const exactlyOne =
  (...groups: string[][]) =>
  ({ jsonSchema }: Described): void => {
    const { properties, required = [], ...rest } = jsonSchema;
    const { id: _id, description: _description, examples: _examples, override: _override, ...shape } = rest;
    const choices = groups.reduce<string[][]>(
      (combinations, group) => combinations.flatMap(names => group.map(name => [...names, name])),
      [[]],
    );
    const variants = choices.map(chosen => {
      const omitted = new Set(groups.flat().filter(name => !chosen.includes(name)));
      const members = Object.entries(properties as object).filter(([name]) => !omitted.has(name));
      return {
        title: `With ${chosen.join(' and ')}`,
        ...shape,
        properties: Object.fromEntries(members),
        required: [...(required as string[]), ...chosen],
      };
    });
    replaceObject(jsonSchema, variants);
  };

/** States that an object is one of these. */
export function replaceObject(jsonSchema: Described['jsonSchema'], oneOf: object[]): void {
  for (const member of ['type', 'properties', 'required', 'additionalProperties']) delete jsonSchema[member];
  jsonSchema['oneOf'] = oneOf;
}

/** States the valid codes, when a pattern would also accept others. */
export const oneOfCodes =
  (codes: Iterable<string>) =>
  ({ jsonSchema }: Described): void => {
    delete jsonSchema['pattern'];
    jsonSchema['enum'] = [...codes];
  };

/**
 * A JSON Schema condition on the members of an object. Readers without conditions, such as generators of clients, ignore it. Other members
 * are allowed by name, because strict readers refuse unnamed ones in every part of a schema.
 */
export const condition = (members: object, rule: object, otherwise: object = {}) => ({
  if: { properties: members, required: Object.keys(members), additionalProperties: true },
  // oxlint-disable-next-line unicorn/no-thenable -- JSON Schema's word
  then: { ...rule, additionalProperties: true },
  else: { ...otherwise, additionalProperties: true },
});
