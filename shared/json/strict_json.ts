import { isAscii, isUtf8 } from 'node:buffer';
import { findJsonFault, type JsonFault, type JsonFaultCode, MAX_JSON_DEPTH } from './json_fault.ts';

/** The most values, with members and items counted, that a text may hold: a megabyte of `{},` would be a third of a million objects. */
export const MAX_JSON_VALUES = 131_072;

/**
 * Parses UTF-8 JSON bytes (RFC 8259, narrowed to I-JSON, RFC 7493) to plain values; throws `JsonError` for anything two
 * readers could understand differently: duplicate member names, bad UTF-8, NULs, lone surrogates, numbers that do not
 * survive, `__proto__`, more than 32 levels, more than 131,072 values.
 */
export function parseStrictJson(bytes: Uint8Array): unknown {
  const text = decode(bytes);
  const scanned = scan(text);
  if (scanned.suspicious) refuse(findJsonFault(text));
  try {
    const value: unknown = JSON.parse(text);
    if (countMembers(value) !== scanned.members) refuse(findJsonFault(text) ?? unnamedDuplicate);
    return value;
  } catch (error) {
    if (error instanceof SyntaxError) throw new JsonError(findJsonFault(text) ?? unnamedSyntaxFault);
    throw error;
  }
}

/** Why a JSON text was refused: `path` is an RFC 6901 pointer, `code` a stable word, `message` what is wrong and what would be valid. */
export class JsonError extends Error {
  readonly path: string;
  readonly code: JsonFaultCode;

  constructor(fault: JsonFault) {
    super(fault.message);
    this.name = 'JsonError';
    this.path = fault.path;
    this.code = fault.code;
  }
}

function decode(bytes: Uint8Array): string {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (isAscii(buffer)) return buffer.toString('latin1');
  if (buffer[0] === 0xef && buffer[1] === 0xbb && buffer[2] === 0xbf) {
    return refuse({
      path: '',
      code: 'invalid_encoding',
      message: 'The body starts with a byte order mark; send UTF-8 without one.',
    });
  }
  if (!isUtf8(buffer)) {
    return refuse({
      path: '',
      code: 'invalid_encoding',
      message: 'The body is not valid UTF-8; send JSON encoded as UTF-8.',
    });
  }
  return buffer.toString('utf8');
}

/**
 * One pass over the text: counts member names and decides whether the careful scan is needed. It assumes JSON; otherwise JSON.parse fails
 * afterwards.
 */
function scan(text: string): { members: number; suspicious: boolean } {
  let members = 0;
  let values = 1;
  let depth = 0;
  let suspicious = text.includes('__proto__') || (text.includes('\\u') && riskyEscape.test(text));
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === 0x22) {
      at = closingQuote(text, at);
      if (at < 0) return { members, suspicious: true };
    } else if (unit === 0x3a) members++;
    else if (unit === 0x2c) values++;
    else if (unit === 0x7b || unit === 0x5b) {
      values++;
      if (++depth > MAX_JSON_DEPTH) return { members, suspicious: true };
    } else if (unit === 0x7d || unit === 0x5d) depth--;
    else if (unit === 0x2d || (unit >= 0x30 && unit <= 0x39)) {
      const end = endOfNumber(text, at);
      // A double preserves every decimal of up to 15 digits; a longer one, or one with an exponent (-1), is checked closely.
      if (end < 0 || end - at > 15) suspicious = true;
      at = Math.abs(end) - 1;
    }
  }
  if (values > MAX_JSON_VALUES) refuse(tooMany());
  return { members, suspicious };
}

// NUL, surrogates, and an escaped underscore that could hide `__proto__`.
const riskyEscape = /\\u(?:0000|[dD][89a-fA-F]|005[fF])/;

function closingQuote(text: string, opening: number): number {
  for (let at = text.indexOf('"', opening + 1); at > 0; at = text.indexOf('"', at + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(at - 1 - backslashes) === 0x5c) backslashes++;
    if (backslashes % 2 === 0) return at;
  }
  return -1;
}

/** Index after the number that starts at `at`; negative when it has an exponent. */
function endOfNumber(text: string, at: number): number {
  let exponent = false;
  for (let end = at + 1; ; end++) {
    const unit = text.charCodeAt(end);
    if (unit === 0x65 || unit === 0x45) exponent = true;
    else if (!((unit >= 0x30 && unit <= 0x39) || unit === 0x2e || unit === 0x2b || unit === 0x2d)) {
      return exponent ? -end : end;
    }
  }
}

function countMembers(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  let members = 0;
  if (Array.isArray(value)) {
    for (const item of value) members += countMembers(item);
    return members;
  }
  for (const item of Object.values(value)) {
    members += 1;
    if (typeof item === 'object') members += countMembers(item);
  }
  return members;
}

function refuse(fault: JsonFault): never;
function refuse(fault: JsonFault | null): void;
function refuse(fault: JsonFault | null): void {
  if (fault) throw new JsonError(fault);
}

const unnamedDuplicate: JsonFault = {
  path: '',
  code: 'duplicate_key',
  message: 'A member name occurs twice in one object; send each name once.',
};
/** Made when it is needed: the first number to be written for readers takes 20 ms, which no start has to wait for. */
const tooMany = (): JsonFault => ({
  path: '',
  code: 'too_many_values',
  message: `The body holds more than ${MAX_JSON_VALUES.toLocaleString('en')} values; send fewer at once.`,
});
const unnamedSyntaxFault: JsonFault = {
  path: '',
  code: 'malformed_json',
  message: 'The body is not valid JSON (RFC 8259).',
};
