import { hash } from 'node:crypto';
import { asRecord, type JsonObject, readJson } from '#shared/verification/json.ts';

/**
 * The object in a piece of evidence: an object itself, JSON text, or base64 or base64url of JSON. Null for anything else, and for JSON that
 * two readers could understand differently.
 */
export function readEvidenceObject(value: string | JsonObject): JsonObject | null {
  if (typeof value !== 'string') return asRecord(value);
  const text = value.trim();
  if (text.startsWith('{')) return parseObject(Buffer.from(text));
  return base64Text.test(text) ? parseObject(Buffer.from(text, 'base64url')) : null;
}

/** A text of any length as the value of a fact: the text itself, or its SHA-256 when an index could not hold it. */
export const factValue = (text: string): string => (/^[\x20-\x7e]{1,200}$/.test(text) ? text : hash('sha256', text));

const base64Text = /^(?:[A-Za-z0-9+/]+|[A-Za-z0-9_-]+)={0,2}$/;

const parseObject = (bytes: Buffer): JsonObject | null => asRecord(readJson(bytes));
