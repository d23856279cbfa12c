import type { z } from 'zod';
import { pointerTo } from './json_pointer.ts';

/** A zod issue, with the schema that raised it. */
export type RawIssue = z.core.$ZodRawIssue;

/**
 * What would be valid, for every schema that does not say it itself. For an object with unknown members, `known_names` gets the known ones,
 * by the object's pointer.
 */
export function expectation(issue: RawIssue, known_names: Map<string, readonly string[]>): string {
  if (isMissing(issue)) {
    const allowed =
      issue.code === 'invalid_value' && issue.values.length > 1 ? `: one of ${issue.values.join(', ')}` : '';
    return `is required${allowed}`;
  }
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${nouns[issue.expected] ?? issue.expected}`;
    case 'unrecognized_keys':
      known_names.set(pointerTo(issue.path ?? []), namesOf(issue.inst));
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

/** Whether a member is missing, not of the wrong type. */
export const isMissing = (issue: { code?: string; input?: unknown }): boolean =>
  'input' in issue && issue.input === undefined && missable.has(issue.code ?? '');

const missable = new Set(['invalid_type', 'invalid_value', 'invalid_union']);

/** The unit of a size. */
export const units: Record<string, string> = {
  string: 'character',
  array: 'item',
  set: 'item',
  map: 'member',
  object: 'member',
  record: 'member',
};

const sizeOf = (origin: string, bound: string, limit: number | bigint): string =>
  units[origin] ? `have ${bound} ${limit} ${units[origin]}${Number(limit) === 1 ? '' : 's'}` : `be ${bound} ${limit}`;

const nouns: Record<string, string> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  record: 'an object',
  array: 'an array',
};

/** The members in an object's schema. */
function namesOf(schema: unknown): string[] {
  const { shape = {} } = (schema ?? {}) as { shape?: object };
  return Object.keys(shape);
}
