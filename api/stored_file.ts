import type { IncomingHttpHeaders } from 'node:http';
import { z } from 'zod';
import { unavailable, Problem } from '#shared/interface/errors.ts';
import type { Storage, ByteRange } from '#shared/platform/storage/storage.ts';
import { replyFile, type RouteAnswer } from './route.ts';

/** What the answer is described by. */
export const Zip = z.unknown().meta({ override: { contentMediaType: 'application/zip' } });

/** A ZIP in the storage: the name that it is kept under and the one to save it by, its size in bytes and its SHA-256 in hex. */
type StoredZip = { stored_as: string; name: string; size_bytes: number; sha256: string };

/** Answers with a ZIP of the storage, or the part of it that is asked for. Throws `unavailable` where it is not there. */
export async function replyStored(
  storage: Storage,
  { stored_as, name, size_bytes, sha256 }: StoredZip,
  headers: IncomingHttpHeaders,
): Promise<RouteAnswer> {
  const part = partOf(headers, size_bytes);
  const file = await storage.get(stored_as, part ?? undefined);
  if (!file) throw unavailable('This file cannot be read now.');
  return replyFile(
    {
      stream: file.body,
      size: file.size,
      media_type: 'application/zip',
      name,
      part: part ? { ...part, total: size_bytes } : undefined,
    },
    {
      'Repr-Digest': `sha-256=:${Buffer.from(sha256, 'hex').toString('base64')}:`,
      'Accept-Ranges': 'bytes',
    },
  );
}

/**
 * The part of a file of `size` bytes that `Range` asks for (RFC 9110 §14), so that a download can go on where it was cut off; null: all of it, as
 * also for several parts at once, another unit, or with an `If-Range`, since files have weak ETags. Throws 416 where there are no such bytes.
 */
function partOf({ range, 'if-range': condition }: IncomingHttpHeaders, size: number): ByteRange | null {
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
