import { createHmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { invalidDetail } from './errors.ts';
import { derive, type SecretKeys } from '#shared/platform/secret_box.ts';
import type { Tenant } from './schemas.ts';

/** A page of a list, as in every list's response. */
export type Page<T> = { data: T[]; next_cursor: string | null };

/** Schema of a page of `item`. */
export const PageOf = <S extends z.ZodType>(item: S) =>
  z.object({
    data: z.array(item),
    next_cursor: z
      .string()
      .nullable()
      .meta({ description: 'pass back unchanged as `cursor`; null when there are no more pages' }),
  });

/** Query parameters that every list takes. */
export const pageQuery = {
  limit: z
    .string()
    .regex(/^([1-9]|[1-9][0-9]|1[0-9]{2}|200)$/, 'must be a whole number from 1 to 200')
    .transform(Number)
    .default(50)
    .meta({ override: { type: 'integer', minimum: 1, maximum: 200, default: 50 } }),
  cursor: z
    .string()
    .min(1)
    .max(500)
    .optional()
    .meta({ description: 'next_cursor of the previous page, with the same filters' }),
};

/** Where a page begins (`after` is the key of the last row of the previous page), and how to make the next cursor. */
export type PageRequest = { limit: number; after: string | null; cursorAfter: (key: string) => string };

/**
 * Reads the cursor of a list request. A cursor is authenticated (HMAC-SHA-256) and bound to the list, the organization, the
 * environment and every filter; any other, or a tampered one, throws `invalid_request`.
 */
export function pageRequest(
  secret_key: SecretKeys,
  list: string,
  { org_id, environment }: Tenant,
  { limit, cursor, ...filters }: { limit: number; cursor?: string | undefined } & Record<string, unknown>,
): PageRequest {
  const entries = Object.entries(filters)
    .filter(([, value]) => value !== undefined)
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  const scope = JSON.stringify(['v1', list, org_id, environment, entries]);
  const sealWith = (key: Buffer, position: string) =>
    createHmac('sha256', derive(key, 'cursor')).update(scope).update('\n').update(position).digest().subarray(0, 16);
  const isOurs = (seal: Buffer, position: string) =>
    secret_key.some(key => timingSafeEqual(seal, sealWith(key, position)));
  return {
    limit,
    after: cursor === undefined ? null : openCursor(cursor, isOurs),
    cursorAfter: position =>
      Buffer.concat([sealWith(secret_key[0], position), Buffer.from(position)]).toString('base64url'),
  };
}

function openCursor(cursor: string, isOurs: (seal: Buffer, position: string) => boolean): string {
  const bytes = Buffer.from(cursor, 'base64url');
  const position = bytes.subarray(16).toString('utf8');
  const genuine =
    bytes.length > 16 && bytes.toString('base64url') === cursor && isOurs(bytes.subarray(0, 16), position);
  if (genuine) return position;
  throw invalidDetail(
    'query.cursor',
    'invalid_cursor',
    'This cursor does not belong to this listing: pass next_cursor back unchanged and keep the same filters.',
  );
}

/** The page of `rows`, which include one more than the limit to tell whether another page follows. */
export function pageOf<T>(
  rows: readonly T[],
  { limit, cursorAfter }: PageRequest,
  keyOf: (row: T) => string | number,
): Page<T> {
  const data = rows.slice(0, limit);
  const last = data.at(-1);
  return { data, next_cursor: rows.length > limit && last !== undefined ? cursorAfter(String(keyOf(last))) : null };
}
