import { ECDH } from 'node:crypto';
import type { JWK } from 'jose';
import { JsonError, parseStrictJson } from '#shared/json/strict_json.ts';
import { isObject } from '#shared/verification/json.ts';

/** The public key contained in a DID URL (`did:key`, `did:jwk`); null for DIDs that must be resolved elsewhere. */
export function keyOfDid(did_url: string): JWK | null {
  const [did = ''] = did_url.split('#');
  if (did.startsWith('did:key:z')) return keyOfMultibase(did.slice('did:key:z'.length));
  if (did.startsWith('did:jwk:')) return keyOfJson(Buffer.from(did.slice('did:jwk:'.length), 'base64url'));
  return null;
}

/** The EVM address (lower case) in a `did:pkh:eip155:<chain>:<address>`, on any chain; null for other DIDs. */
export const addressOfDid = (did_url: string): string | null =>
  /^did:pkh:eip155:[0-9]{1,18}:(0x[0-9a-fA-F]{40})(?:#|$)/.exec(did_url)?.[1]?.toLowerCase() ?? null;

/** The bytes of base58 text (Bitcoin's alphabet), or null; long texts are refused, since the work grows with their square. */
export function fromBase58(text: string): Buffer | null {
  if (!/^[1-9A-HJ-NP-Za-km-z]{1,128}$/.test(text)) return null;
  let value = 0n;
  for (const digit of text) value = value * 58n + BigInt(alphabet.indexOf(digit));
  const hex = value === 0n ? '' : value.toString(16);
  const zeros = text.length - text.replace(/^1+/, '').length;
  return Buffer.concat([Buffer.alloc(zeros), Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex')]);
}

const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

/** A multicodec prefix, then the key: compressed points for the two EC curves. */
function keyOfMultibase(text: string): JWK | null {
  const bytes = fromBase58(text);
  if (!bytes) return null;
  const codec = bytes.subarray(0, 2).toString('hex');
  const key = bytes.subarray(2);
  if (codec === 'ed01') return key.length === 32 ? { kty: 'OKP', crv: 'Ed25519', x: key.toString('base64url') } : null;
  if (key.length !== 33) return null;
  try {
    if (codec === 'e701') return keyOfPoint('secp256k1', uncompressed(key, 'secp256k1'));
    if (codec === '8024') return keyOfPoint('P-256', uncompressed(key, 'prime256v1'));
    return null;
  } catch {
    // Not a point of the curve.
    return null;
  }
}

const uncompressed = (key: Buffer, curve: string) =>
  Buffer.from(ECDH.convertKey(key, curve, undefined, 'hex', 'uncompressed') as string, 'hex');

const keyOfPoint = (crv: string, point: Uint8Array): JWK => ({
  kty: 'EC',
  crv,
  x: Buffer.from(point.subarray(1, 33)).toString('base64url'),
  y: Buffer.from(point.subarray(33, 65)).toString('base64url'),
});

function keyOfJson(bytes: Buffer): JWK | null {
  try {
    const value = parseStrictJson(bytes);
    if (!isObject(value)) return null;
    const { kty, crv, x, y } = value;
    if (typeof kty !== 'string' || typeof crv !== 'string' || typeof x !== 'string') return null;
    return { kty, crv, x, ...(typeof y === 'string' && { y }) };
  } catch (error) {
    if (error instanceof JsonError) return null;
    throw error;
  }
}
