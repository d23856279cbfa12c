import type { z } from 'zod';
import { pointerTo } from './json_pointer.ts';

/**
 * Checks a value against a schema; answers the schema's output, or every problem with a pointer (RFC 6901, after
 * `pointer`), a stable code and what would be right. Never throws for bad input.
 */
export function validate<T>(schema: z.ZodType<T>, input: unknown, pointer = ''): Validated<T> {
  const result = schema.safeParse(input, { error: expectation, reportInput: true });
  return result.success ? { ok: true, value: result.data } : { ok: false, issues: issuesFrom(result.error, pointer) };
}

type Validated<T> = { ok: true; value: T } | { ok: false; issues: InputIssue[] };

/** One problem of an input: where (RFC 6901 pointer), what (a stable word), and a sentence that says what would be right. */
export type InputIssue = { path: string; code: string; message: string };

/** Takes down one problem: where (RFC 6901 pointer), its code, and what would be right (`must be …`). */
export type ReportIssue = (path: string, code: string, expected: string) => void;

/**
 * The problems of a failed parse, after `pointer`; unknown members get one each, at their own pointer. Only a parse with
 * `reportInput`, as in `validate`, tells a missing member (`required`) from one of the wrong type.
 */
function issuesFrom(error: { issues: readonly Issue[] }, pointer = '', base = ''): InputIssue[] {
  return error.issues.flatMap(issue => {
    const path = base + pointerTo(issue.path);
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.map(key => issueAt(pointer, path + pointerTo([key]), 'unrecognized_member', issue.message));
    }
    if (issue.code === 'invalid_key' || issue.code === 'invalid_element') return issuesFrom(issue, pointer, path);
    return [issueAt(pointer, path, codeOf(issue), issue.message)];
  });
}

/** A problem at `path` below `pointer`; `expected` goes on after the member's name: `must be …`, `is required`. */
export const issueAt = (pointer: string, path: string, code: string, expected: string): InputIssue => ({
  path: pointer + path,
  code,
  message: `${nameOf(path)} ${expected}.`,
});

/** How people write a place: `evidence[0].kind`. */
function nameOf(pointer: string): string {
  let name = '';
  for (const step of pointer.split('/').slice(1)) {
    const plain = step.replaceAll('~1', '/').replaceAll('~0', '~');
    if (/^\d+$/.test(plain)) name += `[${plain}]`;
    else name += name === '' ? plain : `.${plain}`;
  }
  return name || 'The value';
}

type Issue = z.core.$ZodIssue;

function codeOf(issue: Issue): string {
  if (isMissing(issue)) return 'required';
  const isSize = 'origin' in issue && units[issue.origin] !== undefined;
  if (issue.code === 'too_big') return isSize ? 'too_long' : 'too_big';
  if (issue.code === 'too_small') return isSize ? 'too_short' : 'too_small';
  if (issue.code === 'invalid_union') return 'invalid_type';
  if (issue.code === 'custom' || issue.code === 'not_multiple_of') return 'invalid_value';
  return issue.code;
}

/** What would be right, for every schema that does not say it itself; what was sent is never repeated. */
function expectation(issue: z.core.$ZodRawIssue): string {
  if (isMissing(issue)) return 'is required';
  switch (issue.code) {
    case 'invalid_type': {
      const hint = issue.input === null ? '; leave it out when there is nothing to say' : '';
      return `must be ${nouns[issue.expected] ?? issue.expected}${hint}`;
    }
    case 'unrecognized_keys':
      return 'is not a known member; check its spelling or leave it out';
    case 'invalid_value':
      return `must be ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.join(', ')}`;
    case 'too_big':
      return `must ${sizeOf(issue.origin, 'at most', issue.maximum)}`;
    case 'too_small':
      return `must ${sizeOf(issue.origin, 'at least', issue.minimum)}`;
    case 'invalid_format':
      return `must be a valid ${issue.format}`;
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`;
    case 'invalid_union':
      return 'has none of the allowed forms';
    default:
      return 'is not valid';
  }
}

const isMissing = (issue: { code?: string; input?: unknown }): boolean =>
  'input' in issue && issue.input === undefined && missable.has(issue.code ?? '');

const missable = new Set(['invalid_type', 'invalid_value', 'invalid_union']);

const sizeOf = (origin: string, bound: string, limit: number | bigint): string =>
  units[origin] ? `have ${bound} ${limit} ${units[origin]}${Number(limit) === 1 ? '' : 's'}` : `be ${bound} ${limit}`;

const units: Record<string, string> = {
  string: 'character',
  array: 'item',
  set: 'item',
  map: 'member',
  object: 'member',
  record: 'member',
};

const nouns: Record<string, string> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  record: 'an object',
  array: 'an array',
};
