type Path = readonly PropertyKey[];

/** The null members that a schema refused: the input is validated once more without them. */
export const nullsIn = (input: unknown, issues: readonly { path: Path }[]): Path[] =>
  issues.flatMap(({ path }) => (valueAt(input, path) === null && isMember(input, path) ? [path] : []));

const isMember = (input: unknown, path: Path): boolean =>
  path.length > 0 && !Array.isArray(valueAt(input, path.slice(0, -1)));

/** The value at a path; undefined if there is none. */
export const valueAt = (input: unknown, path: Path): unknown =>
  path.reduce<unknown>(
    (value, step) =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, step)
        ? (value as Record<PropertyKey, unknown>)[step]
        : undefined,
    input,
  );

/** A copy of JSON data without the members at these paths. */
export function without(input: unknown, paths: readonly Path[]): unknown {
  const copy: unknown = structuredClone(input);
  for (const path of paths) {
    const name = path.at(-1);
    const object = valueAt(copy, path.slice(0, -1)) as Record<PropertyKey, unknown>;
    if (name !== undefined) delete object[name];
  }
  return copy;
}
