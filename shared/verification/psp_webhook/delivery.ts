import { JsonError, parseStrictJson } from '#shared/json/strict_json.ts';
import { asRecord } from '#shared/verification/json.ts';
import { fieldValue, type HeaderFields, readHeaderFields } from '#shared/verification/http_signature/header_fields.ts';

/** A received webhook. `raw` is null when the body was kept as an object, so that its bytes are lost. */
export type ReceivedWebhook = { fields: HeaderFields; raw: string | null; payload: Payload };

/** What the body parses to: `text` is not JSON, `malformed` is JSON that two readers could understand differently. */
type Payload = { kind: 'object'; object: Record<string, unknown> } | { kind: 'text' | 'malformed' };

/** The delivery in `{headers, body}`; null when it is not one. */
export function readDelivery({ headers, body }: Record<string, unknown>): ReceivedWebhook | null {
  const fields = readHeaderFields(headers);
  if (!fields) return null;
  if (typeof body === 'string') return { fields, raw: body, payload: parsePayload(body) };
  const object = asRecord(body);
  return object && { fields, raw: null, payload: { kind: 'object', object } };
}

/** The first of these headers that was sent, else null. */
export function headerOf({ fields }: ReceivedWebhook, ...names: readonly string[]): string | null {
  for (const name of names) {
    const value = fieldValue(fields, name);
    if (value !== null && value !== '') return value;
  }
  return null;
}

/** Reads a text as the body of a webhook: every number and member as it was written. */
export function parsePayload(raw: string): Payload {
  if (!/^\s*[{[]/.test(raw)) return { kind: 'text' };
  try {
    const object = asRecord(parse(raw));
    return object ? { kind: 'object', object } : { kind: 'text' };
  } catch (error) {
    if (error instanceof JsonError) return { kind: 'malformed' };
    throw error;
  }
}

/**
 * Payment services send numbers of more digits than a double holds, such as exchange rates: those are read as their text. So is an amount
 * like 20.00, of which a double would not say that it is of whole units.
 */
function parse(raw: string): unknown {
  const text = /\.0/.test(raw) ? quoted(raw, token => !wholeWithFraction.test(token)) : raw;
  try {
    return parseStrictJson(Buffer.from(text));
  } catch (error) {
    if (error instanceof JsonError && error.code === 'unsafe_number')
      return parseStrictJson(Buffer.from(quoted(text, token => safeNumber.test(token))));
    throw error;
  }
}

/** The text with quotes around numbers that may not be read as numbers. */
const quoted = (raw: string, isNumber: (token: string) => boolean): string =>
  raw.replaceAll(stringOrNumber, token => (token.startsWith('"') || isNumber(token) ? token : `"${token}"`));

// A text without its end takes all that follows, or every quote in it would be looked at anew.
const stringOrNumber = /"(?:[^"\\]|\\[^])*(?:"|\\?$)|-?[0-9][0-9.eE+-]*/g;
const wholeWithFraction = /^-?(?:0|[1-9][0-9]*)\.0+$/;
const safeNumber = /^[0-9.-]{1,15}$/;
