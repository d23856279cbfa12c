import type { z } from 'zod';
import type { Route } from './route.ts';
import { invalidDetail, invalidRequest, notFound } from '#shared/interface/errors.ts';
import { validate } from '#shared/json/issues.ts';

/** A malformed id in a path names nothing. */
export function parseParams(route: Route, values: Record<string, string>): unknown {
  if (!route.params) return undefined;
  const parsed = route.params.safeParse(values);
  if (!parsed.success) throw notFound('record');
  return parsed.data;
}

export function parseQuery(route: Route, querystring: string): unknown {
  const values: Record<string, string> = {};
  for (const [name, value] of new URLSearchParams(querystring)) {
    if (!route.query || !Object.hasOwn(route.query.shape, name)) {
      const names = Object.keys(route.query?.shape ?? {}).join(', ') || 'none';
      throw invalidDetail(
        `query.${name.slice(0, 100)}`,
        'unrecognized_member',
        `There is no such query parameter here; this path takes ${names}.`,
      );
    }
    if (Object.hasOwn(values, name))
      throw invalidDetail(`query.${name}`, 'duplicate', 'Give this query parameter once.');
    // U+FFFD is what a damaged percent-encoding decodes to.
    if (/[\0\uFFFD]/.test(value))
      throw invalidDetail(`query.${name}`, 'invalid_encoding', 'This value is not percent-encoded UTF-8 text.');
    values[name] = value;
  }
  if (!route.query) return undefined;
  const parsed = validate(route.query, values);
  if (parsed.ok) return parsed.value;
  const details = parsed.issues.map(issue => ({ ...issue, path: `query.${issue.path.slice(1)}` }));
  throw invalidRequest(details[0]?.message ?? 'The query is not valid.', details);
}

/** A body of 1 MB could have a hundred thousand faults; whoever mends the first few asks again. */
const MOST_DETAILS = 20;

export function parseBody(schema: z.ZodType, body: unknown): unknown {
  const parsed = validate(schema, body, { most: MOST_DETAILS });
  if (parsed.ok) return parsed.value;
  throw invalidRequest(parsed.issues[0]?.message ?? 'The body is not valid.', parsed.issues.slice(0, MOST_DETAILS));
}
