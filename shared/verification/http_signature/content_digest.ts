import { hash, timingSafeEqual } from 'node:crypto';
import { parseDictionary } from 'structured-headers';

/** Whether a body is what a `Content-Digest` field (RFC 9530) says: `unknown` when it names no algorithm that is still sound. */
export function matchesDigest(field: string, body: string): 'yes' | 'no' | 'unknown' | 'malformed' {
  try {
    const digests = parseDictionary(field);
    let known = false;
    for (const [name, algorithm] of sound) {
      const digest = digests.get(name)?.[0];
      if (digest === undefined) continue;
      if (!(digest instanceof ArrayBuffer)) return 'malformed';
      const expected = hash(algorithm, body, 'buffer');
      if (digest.byteLength !== expected.length || !timingSafeEqual(expected, new Uint8Array(digest))) return 'no';
      known = true;
    }
    return known ? 'yes' : 'unknown';
  } catch {
    return 'malformed';
  }
}

const sound = [
  ['sha-256', 'sha256'],
  ['sha-512', 'sha512'],
] as const;
