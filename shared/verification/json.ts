import { JsonError, parseStrictJson } from '#shared/json/strict_json.ts';

export type JsonObject = Record<string, unknown>;

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The value when it is a JSON object, else null. */
export const asRecord = (value: unknown): JsonObject | null => (isObject(value) ? value : null);

/** The JSON value of UTF-8 bytes, or undefined when two readers could understand them differently. */
export function readJson(bytes: Uint8Array): unknown {
  try {
    return parseStrictJson(bytes);
  } catch (error) {
    if (error instanceof JsonError) return undefined;
    throw error;
  }
}

/** A member of an object if it is non-empty text, else null. Own members only, because the name may be `constructor`. */
export function textOf(object: JsonObject, name: string): string | null {
  const value = Object.hasOwn(object, name) ? object[name] : null;
  return typeof value === 'string' && value !== '' ? value : null;
}

/** Text of unknown length and origin, for the detail of a check; cut between characters. */
export const quoted = (value: unknown): string => {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? 'nothing');
  return text.length > 100 ? `"${text.slice(0, 99).replace(/[\ud800-\udbff]$/, '')}…"` : `"${text}"`;
};
