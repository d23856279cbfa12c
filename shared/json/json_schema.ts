/** What an `override` in the meta data of a zod schema is handed: the JSON Schema of the OpenAPI document, to be changed in place. */
export type Described = { jsonSchema: { [member: string]: unknown } };

/**
 * Says that an object has exactly one member of each of these groups, which zod's refinements do not tell the document: an object for
 * every choice, as generators of clients and tests read it.
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

/** Says that an object is one of these. */
export function replaceObject(jsonSchema: Described['jsonSchema'], oneOf: object[]): void {
  for (const member of ['type', 'properties', 'required', 'additionalProperties']) delete jsonSchema[member];
  jsonSchema['oneOf'] = oneOf;
}

/** Says which codes are taken, where a pattern would also let others pass. */
export const oneOfCodes =
  (codes: Iterable<string>) =>
  ({ jsonSchema }: Described): void => {
    delete jsonSchema['pattern'];
    jsonSchema['enum'] = [...codes];
  };

/**
 * A condition of JSON Schema on the members of an object. Readers that know none, such as generators of clients, leave it out. Other
 * members are let through by name, because strict readers refuse in every part of a schema what it does not name.
 */
export const condition = (members: object, rule: object, otherwise: object = {}) => ({
  if: { properties: members, required: Object.keys(members), additionalProperties: true },
  // oxlint-disable-next-line unicorn/no-thenable -- JSON Schema's word
  then: { ...rule, additionalProperties: true },
  else: { ...otherwise, additionalProperties: true },
});
