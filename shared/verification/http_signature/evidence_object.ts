import { hash } from 'node:crypto';
import { JsonError, parseStrictJson } from '#shared/strict_json.ts';

/**
 * The object that a piece of evidence stands for: an object already, text holding JSON, or text holding base64 or base64url of
 * JSON. Null when it is none of these, or JSON that two readers could understand differently.
 */
export function readEvidenceObject(value: string | Record<string, unknown>): Record<string, unknown> | null {
  if (typeof value !== 'string') return asRecord(value);
  const text = value.trim();
  if (text.startsWith('{')) return parseObject(Buffer.from(text));
  return base64Text.test(text) ? parseObject(Buffer.from(text, 'base64url')) : null;
}

/** The value when it is a JSON object, else null. Its members are its own: `JSON.parse` made it. */
export const asRecord = (value: unknown): Record<string, unknown> | null =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : null;

/** A member that is text and not empty, else null. Asks for own members only: the name may be `constructor`. */
export function textMember(object: Record<string, unknown>, name: string): string | null {
  const value = Object.hasOwn(object, name) ? object[name] : null;
  return typeof value === 'string' && value !== '' ? value : null;
}

/** A text of any length as the value of a fact: itself, or its SHA-256 where an index could not hold it. */
export const factValue = (text: string): string => (/^[\x20-\x7e]{1,200}$/.test(text) ? text : hash('sha256', text));

const base64Text = /^(?:[A-Za-z0-9+/]+|[A-Za-z0-9_-]+)={0,2}$/;

function parseObject(bytes: Buffer): Record<string, unknown> | null {
  try {
    return asRecord(parseStrictJson(bytes));
  } catch (error) {
    if (error instanceof JsonError) return null;
    throw error;
  }
}
