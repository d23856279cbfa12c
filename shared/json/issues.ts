import type { z } from 'zod';
import { nearest } from '#shared/values/nearest.ts';
import { type RawIssue, expectation, isMissing, units } from './expectation.ts';
import { pointerTo } from './json_pointer.ts';
import { nullsIn, valueAt, without } from './null_members.ts';
import { quoteSent } from './quote_sent.ts';

/**
 * Validates a value against a schema; returns the schema's output, or every problem with a pointer (RFC 6901, after `pointer`), a stable
 * code, what was sent and what would be valid. `null` for an optional member that cannot be null counts as absent; `input` of a refusal is
 * without those. `correct` may know more about valid values than a schema. Only the first `most` problems are described. Never throws for
 * bad input.
 */
export function validate<T>(
  schema: z.ZodType<T>,
  sent: unknown,
  { pointer = '', correct, most = Infinity }: { pointer?: string; correct?: Correct; most?: number } = {},
): Validated<T> {
  let input = sent;
  for (;;) {
    const known_names = new Map<string, readonly string[]>();
    const error = (issue: RawIssue) => expectation(issue, known_names);
    const result = schema.safeParse(input, { error, reportInput: true });
    if (result.success) return { ok: true, value: result.data };
    const nulls = nullsIn(input, result.error.issues);
    if (nulls.length === 0)
      return { ok: false, input, issues: issuesFrom(result.error, { pointer, sent, known_names, correct, most }) };
    input = without(input, nulls);
  }
}

type Validated<T> = { ok: true; value: T } | { ok: false; issues: InputIssue[]; input: unknown };

/**
 * One problem of an input: where (RFC 6901 pointer), its code, a sentence with what was sent and what would be valid, and an example if
 * possible.
 */
export type InputIssue = { path: string; code: string; message: string; example?: unknown };

/** Records one problem: where (RFC 6901 pointer), its code, and what would be valid (`must be …`). */
export type ReportIssue = (path: string, code: string, expected: string) => void;

/** A valid value for `path` (RFC 6901) in place of `sent`; undefined if unknown. */
export type Correct = (path: string, sent: unknown) => unknown;

type IssueContext = {
  pointer: string;
  sent: unknown;
  known_names: ReadonlyMap<string, readonly string[]>;
  correct: Correct | undefined;
  most: number;
};

/** So many unknown members of an object are told. */
const MOST_UNKNOWN = 20;

/**
 * The problems of a failed parse; unknown members get one each, at their own pointer. Only with `reportInput`, as in `validate`, can a
 * missing member (`required`) be told from one of the wrong type.
 */
function issuesFrom(error: { issues: readonly Issue[] }, context: IssueContext, base = ''): InputIssue[] {
  const { pointer, sent, known_names, correct, most } = context;
  return error.issues.slice(0, most).flatMap((issue): InputIssue[] => {
    const path = base + pointerTo(issue.path);
    if (issue.code === 'unrecognized_keys') {
      const names = known_names.get(pointerTo(issue.path)) ?? [];
      return issue.keys.slice(0, MOST_UNKNOWN).map(key => {
        const meant = nearest(key, names);
        const expected = meant === undefined ? issue.message : `is not a known member; did you mean ${meant}?`;
        return issueAt(pointer, path + pointerTo([key]), 'unrecognized_member', expected);
      });
    }
    if (issue.code === 'invalid_key' || issue.code === 'invalid_element') return issuesFrom(issue, context, path);
    const code = codeOf(issue);
    if (code === 'required') {
      const expected = valueAt(sent, issue.path) === null ? 'is required and must not be null' : issue.message;
      return [issueAt(pointer, path, code, expected, { example: correct?.(path, undefined) })];
    }
    const seen = 'input' in issue ? issue.input : undefined;
    // A rule that looks at a whole object may lead to one of its members: what was sent there is told.
    const value = typeof seen === 'object' && base === '' ? valueAt(sent, issue.path) : seen;
    return [
      issueAt(pointer, path, code, issue.message, {
        sent: value,
        example: correct?.(path, value) ?? corrected(issue, value),
      }),
    ];
  });
}

/** The most likely intended value for one of the wrong type or spelling. */
function corrected(issue: Issue, value: unknown): unknown {
  if (typeof value !== 'string') return undefined;
  if (issue.code === 'invalid_value')
    return nearest(
      value,
      issue.values.filter(each => typeof each === 'string'),
    );
  if (issue.code !== 'invalid_type') return undefined;
  if (issue.expected === 'boolean') return value === 'true' ? true : value === 'false' ? false : undefined;
  const isNumber = issue.expected === 'number' || issue.expected === 'int';
  return isNumber && /^-?\d{1,15}$/.test(value) ? Number(value) : undefined;
}

/** A problem at `path` below `pointer`; `expected` continues after the member's name: `must be …`, `is required`. */
export function issueAt(
  pointer: string,
  path: string,
  code: string,
  expected: string,
  { sent, example }: { sent?: unknown; example?: unknown } = {},
): InputIssue {
  const was = sent === undefined ? '' : quoteSent(path, sent);
  const right = example === undefined ? '' : JSON.stringify(example);
  const message = [
    `${nameOf(path)} ${expected}${expected.endsWith('?') ? '' : '.'}`,
    was && `It was ${was}${right && `; send ${right}`}.`,
    !was && right && `An example: ${right}.`,
  ];
  return {
    path: pointer + path,
    code,
    message: message.filter(Boolean).join(' '),
    ...(example !== undefined && { example }),
  };
}

/** A path in people's notation: `evidence[0].kind`. */
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
