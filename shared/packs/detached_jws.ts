import type { SigningKey } from '#shared/ledger/signing_keys.ts';

/** A JWS (RFC 7515, Ed25519 by RFC 8037) in compact form without its payload (appendix F). */
export function detachedJws({ kid, sign }: SigningKey, payload: Buffer): string {
  const header = Buffer.from(JSON.stringify({ alg: 'EdDSA', kid })).toString('base64url');
  const signature = sign(Buffer.from(`${header}.${payload.toString('base64url')}`));
  return `${header}..${signature.toString('base64url')}`;
}
