import type { JWK } from 'jose';
import { calculateJwkThumbprint } from 'jose/jwk/thumbprint';
import { importJWK } from 'jose/key/import';
import { z } from 'zod';
import { invalidDetail } from '#shared/interface/errors.ts';

/** A public key as a JWK (RFC 7517). Members that a key does not need are allowed, private ones are not. */
export const PublicJwk = z
  .looseObject({
    kty: z.enum(['EC', 'OKP', 'RSA']),
    crv: z.string().max(20).optional(),
    alg: z.string().max(20).optional(),
  })
  .refine(jwk => !privateMembers.some(name => name in jwk), 'must be a public key: it has a private member');
export type PublicJwk = z.infer<typeof PublicJwk>;

// RFC 7518 §6: the private members. RSA keys can be rebuilt from p and q without d.
const privateMembers = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'];

/** RFC 7638 thumbprint of a key that can verify signatures; throws a Problem at `path` for any other. */
export async function publicKeyThumbprint(jwk: JWK, path: string): Promise<string> {
  try {
    const algorithm = jwk.alg ?? defaultAlgorithm[jwk.crv ?? jwk.kty ?? ''];
    if (!algorithm || !algorithms.has(algorithm)) throw new Error('not an algorithm of signatures');
    await importJWK(jwk, algorithm);
    if (jwk.kty === 'RSA' && Buffer.from(jwk.n ?? '', 'base64url').length < 256) throw new Error('RSA under 2048 bits');
    return await calculateJwkThumbprint(jwk);
  } catch {
    throw invalidDetail(
      path,
      'invalid_key',
      `${path.slice(1).replaceAll('/', '.')} must be a usable public key: EC P-256 or P-384, OKP Ed25519, or RSA of at least 2048 bits.`,
    );
  }
}

const defaultAlgorithm: Record<string, string> = { 'P-256': 'ES256', 'P-384': 'ES384', Ed25519: 'EdDSA', RSA: 'PS256' };
const algorithms = new Set([
  'ES256',
  'ES384',
  'EdDSA',
  'Ed25519',
  'PS256',
  'PS384',
  'PS512',
  'RS256',
  'RS384',
  'RS512',
]);
