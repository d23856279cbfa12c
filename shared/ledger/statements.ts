import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { canonicalJson } from '#shared/json/canonical_json.ts';
import type { LogKey, SigningKey } from './signing_keys.ts';

/** A compact JWS (RFC 7515) by Ed25519 (RFC 8037) over the RFC 8785 form of a statement. */
export function signStatement({ kid, sign }: SigningKey, statement: object): string {
  const signed = [{ alg: 'EdDSA', kid }, statement].map(part => Buffer.from(canonicalJson(part)).toString('base64url'));
  return `${signed.join('.')}.${sign(Buffer.from(signed.join('.'))).toString('base64url')}`;
}

/** The payload of a compact JWS, without a check of its signature; an empty object for any other text. */
export const payloadOf = (jws: string): object => parsed(jws.split('.')[1] ?? '');

/** Returns a check of whether one of these keys signed a compact JWS. */
export function createSignatureCheck(keys: readonly LogKey[]): (jws: string) => boolean {
  const public_keys = new Map(
    keys.map(({ kty, crv, x, kid }): [string, KeyObject] => [
      kid,
      createPublicKey({ key: { kty, crv, x }, format: 'jwk' }),
    ]),
  );
  return jws => {
    const [header = '', payload = '', signature = '', ...more] = jws.split('.');
    const { alg, kid } = parsed(header) as { alg?: unknown; kid?: unknown };
    const key = typeof kid === 'string' ? public_keys.get(kid) : undefined;
    if (alg !== 'EdDSA' || !key || more.length > 0) return false;
    return verify(null, Buffer.from(`${header}.${payload}`), key, Buffer.from(signature, 'base64url'));
  };
}

function parsed(base64url: string): object {
  try {
    const value: unknown = JSON.parse(Buffer.from(base64url, 'base64url').toString());
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}
