/**
 * The canonical JSON text of a value (RFC 8785, JCS): members sorted by UTF-16 code units, ES6 numbers, shortest
 * strings. Undefined members are left out; throws `NotCanonical` for what JSON cannot hold (NaN, infinities, lone
 * surrogates, functions, bigint, cycles and more than 64 levels).
 */
export function canonicalJson(value: unknown, depth = 0): string {
  switch (typeof value) {
    case 'string':
      return quote(value);
    case 'number':
      if (!Number.isFinite(value)) throw new NotCanonical('a number is not finite');
      return String(value);
    case 'boolean':
      return value ? 'true' : 'false';
    case 'object':
      if (value === null) return 'null';
      if (depth >= 64) throw new NotCanonical('it is nested too deeply');
      return Array.isArray(value)
        ? arrayText(value, depth + 1)
        : objectText(value as Record<string, unknown>, depth + 1);
    default:
      throw new NotCanonical(`a value of type ${typeof value} is not JSON`);
  }
}

/** The value has no canonical JSON text; the message says why without quoting it. */
export class NotCanonical extends Error {}

function arrayText(items: readonly unknown[], depth: number): string {
  let text = '[';
  for (let index = 0; index < items.length; index++) {
    if (index > 0) text += ',';
    text += canonicalJson(items[index], depth);
  }
  return text + ']';
}

function objectText(object: Record<string, unknown>, depth: number): string {
  let text = '';
  for (const name of sorted(Object.keys(object))) {
    const value = object[name];
    if (value === undefined) continue;
    text += (text === '' ? '{' : ',') + quotedName(name) + canonicalJson(value, depth);
  }
  return text === '' ? '{}' : text + '}';
}

/** By UTF-16 code units (RFC 8785 §3.2.3), in place; small objects by insertion, twice as fast as Array.sort there. */
function sorted(names: string[]): string[] {
  if (names.length > 24) return names.sort();
  for (let next = 1; next < names.length; next++) {
    const name = names[next] ?? '';
    let at = next;
    for (let before = names[at - 1]; before !== undefined && before > name; before = names[at - 1])
      names[at--] = before;
    names[at] = name;
  }
  return names;
}

// The names of our own schemas recur with every event.
const knownNames = new Map<string, string>();

function quotedName(name: string): string {
  const quoted_name = knownNames.get(name);
  if (quoted_name) return quoted_name;
  const quoted = quote(name) + ':';
  if (knownNames.size < 1000 && name.length < 64) knownNames.set(name, quoted);
  return quoted;
}

// Most strings need no escape; the test is faster than JSON.stringify on every one.
// oxlint-disable-next-line no-control-regex
const needsCare = /[\u0000-\u001f"\\\ud800-\udfff]/;

function quote(text: string): string {
  if (!needsCare.test(text)) return `"${text}"`;
  if (!text.isWellFormed()) throw new NotCanonical('a string has half of a surrogate pair');
  return JSON.stringify(text);
}
