/** Text as the database can hold it: without NUL and halves of surrogate pairs, which evidence may contain. */
export const storableText = (text: string): string => text.replaceAll('\0', '\ufffd').toWellFormed();

/** JSON as the database can hold it, names included. */
export function storableJson<T>(value: T): T;
export function storableJson(value: unknown): unknown {
  if (typeof value === 'string') return storableText(value);
  if (Array.isArray(value)) return value.map(item => storableJson<unknown>(item));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [storableText(name), storableJson<unknown>(member)]),
  );
}
