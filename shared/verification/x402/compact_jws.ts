import { createPublicKey, verify } from 'node:crypto';
import type { JWK } from 'jose';
import { JsonError, parseStrictJson } from '#shared/json/strict_json.ts';
import { isObject } from '#shared/verification/json.ts';
import { type ReadResult } from './read_evidence.ts';

/** A compact JWS (RFC 7515) as x402 signs offers and receipts: one of three algorithms, and always a `kid`. */
export type CompactJws = {
  alg: Algorithm;
  kid: string;
  payload: Record<string, unknown>;
  /** The payload as signed. */
  encoded_payload: string;
  signed: Buffer;
  signature: Buffer;
};

type Algorithm = 'ES256' | 'ES256K' | 'EdDSA';

/** Parses a JWS without verifying it. Refuses padding, second spellings of base64url, and every header that changes what is signed. */
export function readCompactJws(text: string): ReadResult<CompactJws> {
  const [head = '', body = '', tail = '', ...more] = text.length > MOST_CHARACTERS ? [] : text.split('.');
  const [header_bytes, payload_bytes, signature] = [head, body, tail].map(fromBase64url);
  if (!header_bytes || !payload_bytes || !signature || more.length > 0)
    return { ok: false, reason: 'signature: must be a compact JWS of three parts in base64url without padding' };
  const header = readJson(header_bytes);
  const payload = readJson(payload_bytes);
  if (!header || !payload)
    return { ok: false, reason: 'signature: header and payload of the JWS must be sound JSON objects' };
  const alg = typeof header.alg === 'string' ? algorithms.get(header.alg) : undefined;
  if (!alg) return { ok: false, reason: 'signature: alg must be ES256, ES256K or EdDSA' };
  if (typeof header.kid !== 'string' || header.kid === '' || header.kid.length > 2_000)
    return { ok: false, reason: 'signature: the JWS must name its key (kid)' };
  if ('crit' in header || 'b64' in header) return { ok: false, reason: 'signature: crit and b64 are not understood' };
  if (signature.length !== 64) return { ok: false, reason: 'signature: must have 64 bytes' };
  const signed = Buffer.from(`${head}.${body}`, 'latin1');
  return { ok: true, value: { alg, kid: header.kid, payload, encoded_payload: body, signed, signature } };
}

/** Whether the key made the signature. The key determines the algorithm; the header cannot change it. */
export function isSignedBy({ alg, signed, signature }: CompactJws, { kty, crv, x, y, alg: declared }: JWK): boolean {
  if (kty !== (alg === 'EdDSA' ? 'OKP' : 'EC') || crv !== curves[alg]) return false;
  if (declared !== undefined && algorithms.get(declared) !== alg) return false;
  try {
    const key = createPublicKey({ key: { kty, crv, x, ...(y !== undefined && { y }) }, format: 'jwk' });
    return verify(alg === 'EdDSA' ? null : 'sha256', signed, { key, dsaEncoding: 'ieee-p1363' }, signature);
  } catch {
    // Not a point of the curve.
    return false;
  }
}

const MOST_CHARACTERS = 50_000;

const algorithms = new Map<string, Algorithm>([
  ['ES256', 'ES256'],
  ['ES256K', 'ES256K'],
  ['EdDSA', 'EdDSA'],
  ['Ed25519', 'EdDSA'],
]);

const curves: Record<Algorithm, string> = { ES256: 'P-256', ES256K: 'secp256k1', EdDSA: 'Ed25519' };

function fromBase64url(text: string): Buffer | null {
  const bytes = Buffer.from(text, 'base64url');
  return text !== '' && bytes.toString('base64url') === text ? bytes : null;
}

function readJson(bytes: Buffer): Record<string, unknown> | null {
  try {
    const value = parseStrictJson(bytes);
    return isObject(value) ? value : null;
  } catch (error) {
    if (error instanceof JsonError) return null;
    throw error;
  }
}
