import { asRecord } from '#shared/verification/json.ts';

/** Header fields by lower-case name, each with its lines in the order they came. */
export type HeaderFields = ReadonlyMap<string, readonly string[]>;

/**
 * Reads `{name: value or [values]}` or `[[name, value], …]`, with names in any case. Lines lose surrounding whitespace and line folding
 * (RFC 9421 §2.1). Null when a name or value could not occur in an HTTP message; HTTP/2 pseudo-headers (`:authority`) are left out.
 */
export function readHeaderFields(headers: unknown): HeaderFields | null {
  const pairs = Array.isArray(headers) ? headers : Object.entries(asRecord(headers) ?? {});
  if ((!Array.isArray(headers) && !asRecord(headers)) || pairs.length > MOST_LINES) return null;
  const fields = new Map<string, string[]>();
  for (const pair of pairs) {
    if (!Array.isArray(pair) || pair.length !== 2 || typeof pair[0] !== 'string') return null;
    if (pair[0].startsWith(':')) continue;
    if (!fieldName.test(pair[0]) || !addLines(fields, pair[0].toLowerCase(), pair[1])) return null;
  }
  return fields;
}

/** The lines of a field joined into one value; null when the message has no such field. */
export function fieldValue(fields: HeaderFields, name: string): string | null {
  const lines = fields.get(name);
  if (!lines) return null;
  return lines.length === 1 ? (lines[0] ?? '') : lines.join(', ');
}

const MOST_LINES = 500;
const fieldName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,200}$/;
// A line break or NUL inside a value could pass for another line of the signature base.
// oxlint-disable-next-line no-control-regex
const unprintable = /[\u0000-\u0008\u000a-\u001f\u007f]/;

function addLines(fields: Map<string, string[]>, name: string, value: unknown): boolean {
  const sent_lines = Array.isArray(value) ? value : [value];
  if (sent_lines.length > MOST_LINES) return false;
  const lines = fields.get(name) ?? [];
  for (const item of sent_lines) {
    if (typeof item !== 'string' && typeof item !== 'number') return false;
    const line = withoutFolds(String(item));
    if (unprintable.test(line)) return false;
    lines.push(line);
  }
  fields.set(name, lines);
  return true;
}

/** Split and trimmed, because one pattern that allows spaces before the line break would rescan every run of spaces. */
const withoutFolds = (text: string): string =>
  text.includes('\n')
    ? text
        .trim()
        .split(/\r?\n(?=[ \t])/)
        .map(part => part.trim())
        .join(' ')
    : text.trim();
