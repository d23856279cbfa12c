import { z } from 'zod';
import { FIRST_TIME, LAST_TIME, timestamp } from '#shared/values/time.ts';

/** RFC 3339 in UTC with milliseconds, as the service writes every time. */
export const Timestamp = z.string().meta({ format: 'date-time', examples: ['2026-11-20T09:43:37.123Z'] });

/** The organization and environment: every query is bound to both. */
export const Tenant = z.object({ org_id: z.string(), environment: z.string() });
export type Tenant = z.infer<typeof Tenant>;

/** One item of an error's `details`. */
export const ErrorDetail = z
  .object({
    path: z.string().meta({ description: 'RFC 6901 pointer into the body, or `query.<name>`, `header.<name>`' }),
    code: z.string(),
    message: z.string(),
    example: z.unknown().optional().meta({ description: 'what would be right there, where that can be told' }),
  })
  .meta({ id: 'ErrorDetail' });
export type ErrorDetail = z.infer<typeof ErrorDetail>;

/** The body of every unsuccessful response. */
export const ErrorBody = z
  .object({
    error: z.object({ code: z.string(), message: z.string(), details: z.array(ErrorDetail).optional() }),
    request_id: z.string(),
  })
  .meta({ id: 'ErrorBody' });
export type ErrorBody = z.infer<typeof ErrorBody>;

/** What is searched for in texts. */
export const SearchText = z.string().trim().min(2).max(200);

/** A time in a query: RFC 3339 with an offset. A plus sign that was not percent-encoded arrives as a space. */
export const TimeFilter = z
  .string()
  .transform(value => value.replace(/ (?=\d\d:\d\d$)/, '+'))
  .pipe(z.iso.datetime({ offset: true, error: 'must be an RFC 3339 time such as 2026-11-20T09:43:37Z' }))
  .transform(value => timestamp(Math.min(Math.max(Date.parse(value), FIRST_TIME), LAST_TIME)))
  .meta({ override: { type: 'string', format: 'date-time' } });

/** Examples of a schema with different input and output: without the override, zod drops them from the description of the input. */
export const withExamples = <T>(examples: T[]) => ({ examples, override: { examples } });
