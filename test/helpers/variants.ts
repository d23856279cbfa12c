type Json = Record<string, unknown>;

/** A value that was changed in one place, and how. */
export type Variant = { what: string; value: unknown };

/**
 * Values that differ from a sound one in one place each, as its schema (of an OpenAPI document, `follow` leads along its references) tells
 * where to look: a member is left out or added, or has another type, a value out of its range, too great a length. Most break the schema;
 * whether one does is for a validator to say.
 */
export function* variantsOf(schema: unknown, sound: unknown, follow: (schema: unknown) => Json): Generator<Variant> {
  for (const { path, value, schemas } of placesOf(schema, sound, follow, []))
    for (const [what, changed] of changesOf(value, schemas))
      yield {
        what: `/${path.join('/')} ${what}`,
        value: changed === LEFT_OUT ? without(sound, path) : put(sound, path, changed),
      };
}

const LEFT_OUT = Symbol('left out');

type Place = { path: string[]; value: unknown; schemas: Json[] };

/** The places of a value, with every schema that may speak of each. */
function* placesOf(
  schema: unknown,
  value: unknown,
  follow: (schema: unknown) => Json,
  path: string[],
): Generator<Place> {
  const schemas = branchesOf(schema, follow);
  yield { path, value, schemas };
  if (typeof value !== 'object' || value === null) return;
  for (const [name, member] of Object.entries(value)) {
    const speaking = schemas.flatMap(each =>
      Array.isArray(value) ? (each['items'] ?? []) : ((each['properties'] as Json | undefined)?.[name] ?? []),
    );
    if (speaking.length > 0) yield* placesOf({ anyOf: speaking }, member, follow, [...path, name]);
  }
}

const branchesOf = (schema: unknown, follow: (schema: unknown) => Json): Json[] => {
  const whole = follow(schema);
  const parts = ['anyOf', 'oneOf', 'allOf'].flatMap(name => (whole[name] as unknown[] | undefined) ?? []);
  return [whole, ...parts.flatMap(part => branchesOf(part, follow))];
};

function changesOf(value: unknown, schemas: Json[]): [string, unknown][] {
  const limit = (name: string) => schemas.flatMap(schema => (typeof schema[name] === 'number' ? [schema[name]] : []));
  const changes: [string, unknown][] = [['is left out', LEFT_OUT]];
  for (const other of ['text', 7, true, null, [], {}])
    if (typeof other !== typeof value || Array.isArray(other) !== Array.isArray(value))
      changes.push([`is ${JSON.stringify(other)}`, other]);
  if (typeof value === 'string') {
    changes.push(['is empty', ''], ['is of odd characters', '\u00df\u00bf\u2028']);
    for (const length of limit('maxLength')) changes.push(['is too long', 'x'.repeat(length + 1)]);
  }
  if (typeof value === 'number') {
    changes.push(['has a fraction', value + 0.5]);
    for (const least of limit('minimum')) changes.push(['is too small', least - 1]);
    for (const most of limit('maximum')) changes.push(['is too large', most + 1]);
  }
  if (Array.isArray(value))
    for (const most of limit('maxItems')) changes.push(['is too long', Array(most + 1).fill(value[0])]);
  else if (typeof value === 'object' && value !== null)
    changes.push(['has a member too many', { ...value, surprise: 1 }]);
  return changes;
}

function put(root: unknown, [step, ...further]: string[], value: unknown): unknown {
  if (step === undefined) return value;
  const copy = structuredClone(root) as Json;
  copy[step] = put(copy[step], further, value);
  return copy;
}

/** Of an object or an array without what is at a path; of the whole nothing is left. */
function without(root: unknown, [step, ...further]: string[]): unknown {
  if (step === undefined) return undefined;
  const copy = structuredClone(root) as Json;
  if (further.length > 0) copy[step] = without(copy[step], further);
  else if (Array.isArray(copy)) copy.splice(Number(step), 1);
  else delete copy[step];
  return copy;
}
