import { pointerTo } from './json_pointer.ts';

/**
 * Finds the first thing in a JSON text that strict readers refuse, with the RFC 6901 pointer to where it is; null when
 * the text is sound. Slower than JSON.parse: used once a text is suspect, to say what is wrong without quoting it.
 */
export function findJsonFault(text: string): JsonFault | null {
  const walk: Walk = { text, path: [] };
  try {
    if (text.trim() === '') stop(walk, 'malformed_json', 'The body is empty; send a JSON value.');
    const end = skipSpace(text, readValue(walk, skipSpace(text, 0)));
    if (end < text.length) stopAt(walk, end, 'the end of the text');
    return null;
  } catch (thrown) {
    if (thrown instanceof FaultError) return thrown.fault;
    throw thrown;
  }
}

/** A fault of a JSON text: RFC 6901 pointer, stable code, and a sentence that quotes nothing of the text. */
export type JsonFault = { path: string; code: JsonFaultCode; message: string };

export type JsonFaultCode =
  | 'malformed_json'
  | 'invalid_encoding'
  | 'invalid_character'
  | 'duplicate_key'
  | 'forbidden_key'
  | 'too_deep'
  | 'too_many_values'
  | 'unsafe_number';

/** The maximum nesting of objects and arrays. */
export const MAX_JSON_DEPTH = 32;

type Walk = { text: string; path: string[] };

class FaultError extends Error {
  readonly fault: JsonFault;

  constructor(fault: JsonFault) {
    super(fault.code);
    this.fault = fault;
  }
}

function stop({ path }: Walk, code: JsonFaultCode, message: string): never {
  throw new FaultError({ path: pointerTo(path), code, message });
}

function stopAt(walk: Walk, at: number, expected: string): never {
  const before = walk.text.slice(0, at).split('\n');
  const place = `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
  return stop(walk, 'malformed_json', `The body is not valid JSON: expected ${expected} at ${place}.`);
}

/** Reads one value at `at` and returns the index after it, as every read function does. */
function readValue(walk: Walk, at: number): number {
  const first = walk.text[at];
  if (first === '"') return readString(walk, at, 'A string');
  if (first === '{' || first === '[') {
    if (walk.path.length >= MAX_JSON_DEPTH) {
      stop(walk, 'too_deep', `The body is nested deeper than ${MAX_JSON_DEPTH} levels; flatten it.`);
    }
    return first === '{' ? readObject(walk, at) : readArray(walk, at);
  }
  for (const word of ['true', 'false', 'null']) if (walk.text.startsWith(word, at)) return at + word.length;
  return readNumber(walk, at);
}

function readObject(walk: Walk, opening: number): number {
  const { text, path } = walk;
  const names = new Set<string>();
  let at = skipSpace(text, opening + 1);
  if (text[at] === '}') return at + 1;
  for (;;) {
    if (text[at] !== '"') stopAt(walk, at, 'a member name in double quotes');
    const end = readString(walk, at, 'A member name');
    const name: string = JSON.parse(text.slice(at, end));
    path.push(name);
    if (names.has(name)) {
      stop(walk, 'duplicate_key', 'A member name occurs twice in one object; send each name once.');
    }
    if (name === '__proto__') stop(walk, 'forbidden_key', 'The member name __proto__ is not accepted; rename it.');
    names.add(name);
    at = skipSpace(text, end);
    if (text[at] !== ':') stopAt(walk, at, '":"');
    at = skipSpace(text, readValue(walk, skipSpace(text, at + 1)));
    path.pop();
    if (text[at] === '}') return at + 1;
    if (text[at] !== ',') stopAt(walk, at, '"," or "}"');
    at = skipSpace(text, at + 1);
  }
}

function readArray(walk: Walk, opening: number): number {
  const { text, path } = walk;
  let at = skipSpace(text, opening + 1);
  if (text[at] === ']') return at + 1;
  for (let index = 0; ; index++) {
    path.push(String(index));
    at = skipSpace(text, readValue(walk, at));
    path.pop();
    if (text[at] === ']') return at + 1;
    if (text[at] !== ',') stopAt(walk, at, '"," or "]"');
    at = skipSpace(text, at + 1);
  }
}

function readString(walk: Walk, opening: number, what: string): number {
  const { text } = walk;
  let escaped = false;
  for (let at = opening + 1; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === 0x22) {
      if (escaped) checkCharacters(walk, JSON.parse(text.slice(opening, at + 1)), what);
      return at + 1;
    }
    if (unit < 0x20) stopAt(walk, at, 'control characters to be escaped, such as \\n,');
    if (unit === 0x5c) {
      const escape = escapeSequence.exec(text.slice(at, at + 6))?.[0] ?? stopAt(walk, at, 'a valid escape sequence');
      escaped ||= escape.length > 2;
      at += escape.length - 1;
    }
  }
  return stopAt(walk, text.length, 'the closing quote of a string');
}

const escapeSequence = /^\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/;

function checkCharacters(walk: Walk, value: string, what: string): void {
  if (value.includes('\0')) stop(walk, 'invalid_character', `${what} holds a NUL character (\\u0000); remove it.`);
  if (value.isWellFormed()) return;
  stop(walk, 'invalid_character', `${what} holds half of a surrogate pair; send whole characters.`);
}

function readNumber(walk: Walk, at: number): number {
  number.lastIndex = at;
  const literal = number.exec(walk.text)?.[0] ?? stopAt(walk, at, 'a value');
  if (survives(literal)) return at + literal.length;
  const bound = 'integers are safe up to ±9007199254740991';
  return stop(
    walk,
    'unsafe_number',
    `A number cannot be held exactly by every reader (${bound}); send it as a string.`,
  );
}

const number = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;

/**
 * A literal is preserved if it is the correctly rounded decimal form of its double, or the shortest one, and safe if it is a whole number.
 */
function survives(literal: string): boolean {
  const value = Number(literal);
  if (!Number.isFinite(value)) return false;
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) return false;
  const [digits, exponent] = decimal(literal);
  if (digits === '') return true;
  if (digits.length > 100) return false;
  return [value.toPrecision(digits.length), String(value)].some(form => {
    const [form_digits, keptExponent] = decimal(form);
    return form_digits === digits && keptExponent === exponent;
  });
}

/** Significant digits without leading and trailing zeros, and the power of ten of the last one. */
function decimal(literal: string): [digits: string, exponent: number] {
  const [mantissa = '', power = '0'] = literal.replace(/^-/, '').toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const digits = (whole + fraction).replace(/^0+/, '');
  let significant = digits.length;
  while (digits[significant - 1] === '0') significant--;
  return [digits.slice(0, significant), Number(power) - fraction.length + digits.length - significant];
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (space.has(text.charCodeAt(at))) at++;
  return at;
}

const space = new Set([0x20, 0x0a, 0x0d, 0x09]);
