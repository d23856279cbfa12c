import type { IncomingHttpHeaders } from 'node:http';
import { Problem } from '#shared/interface/errors.ts';
import type { Part } from '#shared/platform/storage/storage.ts';

/**
 * The part of a file of `size` bytes that `Range` asks for (RFC 9110 §14), so that a download can go on where it was cut off; null: all of it, as
 * also for several parts at once, another unit, or with an `If-Range`, since files have weak ETags. Throws 416 where there are no such bytes.
 */
export function partOf({ range, 'if-range': condition }: IncomingHttpHeaders, size: number): Part | null {
  const [, start = '', end = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(range ?? '') ?? [];
  if (condition !== undefined || (start === '' && end === '')) return null;
  const first = start === '' ? Math.max(0, size - Number(end)) : Number(start);
  const last = start === '' || end === '' ? size - 1 : Math.min(Number(end), size - 1);
  if (start !== '' && end !== '' && Number(end) < first) return null;
  if (first > last)
    throw new Problem('range_not_satisfiable', `The file has ${size} bytes; there are none where Range begins.`, {
      headers: { 'Content-Range': `bytes */${size}` },
    });
  return { first, last };
}
