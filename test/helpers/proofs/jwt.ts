import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { calculateJwkThumbprint, CompactSign, FlattenedSign, type JWK } from 'jose';
import { createKeyResolver, type KeyRow } from '#shared/verification/keys.ts';
import type { Evidence, Outcome, VerificationInput } from '#shared/verification/verifier.ts';
import { inputOf, pieceOf } from './shown.ts';

/** A pair of keys with its kid (RFC 7638 thumbprint); `row` makes it trusted. */
export type TestKey = { alg: string; kid: string; jwk: JWK; publicKey: KeyObject; privateKey: KeyObject };

/** A fresh key for an algorithm: ES256, ES384, EdDSA or RS256. */
export async function newKey(alg = 'ES256'): Promise<TestKey> {
  const { publicKey, privateKey } = keyPairs[alg]?.() ?? generateKeyPairSync('ed25519');
  const jwk = publicKey.export({ format: 'jwk' }) as JWK;
  return { alg, kid: await calculateJwkThumbprint(jwk), jwk, publicKey, privateKey };
}

const keyPairs: Record<string, () => { publicKey: KeyObject; privateKey: KeyObject }> = {
  ES256: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  ES384: () => generateKeyPairSync('ec', { namedCurve: 'P-384' }),
  EdDSA: () => generateKeyPairSync('ed25519'),
  RS256: () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
};

/** The row by which a key is trusted. */
export const row = (key: TestKey, use: KeyRow['use'], changes: Partial<KeyRow> = {}): KeyRow => ({
  kid: key.kid,
  use,
  issuer: null,
  kind: 'jwk',
  jwk: key.jwk,
  certificate: null,
  thumbprint: key.kid,
  not_before: null,
  not_after: null,
  ...changes,
});

/** A JWT, signed with `jose`. */
export const signJwt = (key: TestKey, claims: object, header: object = {}): Promise<string> =>
  new CompactSign(Buffer.from(JSON.stringify(claims)))
    .setProtectedHeader({ alg: key.alg, kid: key.kid, ...header })
    .sign(key.privateKey);

/** A detached JWS over text, signed with `jose`; `b64: false` carries it as it is (RFC 7797). */
export async function signDetached(key: TestKey, text: string, header: object = {}): Promise<string> {
  const jws = await new FlattenedSign(Buffer.from(text))
    .setProtectedHeader({ alg: key.alg, kid: key.kid, ...header })
    .sign(key.privateKey);
  return `${jws.protected}..${jws.signature}`;
}

/** A JWT whose header and claims are texts that no library would sign. */
export function signRaw(key: TestKey, header: string, claims: string): string {
  const signed = `${base64url(header)}.${base64url(claims)}`;
  const hash = { ES256: 'sha256', ES384: 'sha384', RS256: 'sha256' }[key.alg] ?? null;
  const signature = sign(hash, Buffer.from(signed), { key: key.privateKey, dsaEncoding: 'ieee-p1363' });
  return `${signed}.${signature.toString('base64url')}`;
}

export const base64url = (text: string): string => Buffer.from(text).toString('base64url');

/** Pieces of evidence by kind, as the log has them. */
export const evidenceOf = (pieces: Record<string, Evidence['value']>): Evidence[] =>
  Object.entries(pieces).map(([kind, value], index) => pieceOf(kind, value, `evd_${index}`));

/** All that a verifier is shown, with these keys trusted. */
export const shown = (
  evidence: readonly Evidence[],
  keys: readonly KeyRow[],
  changes: Partial<VerificationInput> = {},
): VerificationInput => inputOf({ evidence, keys: createKeyResolver(keys, null), ...changes });

/** What a test looks at: the result, and the codes that led to it. */
export const summary = ({ result, checks }: Outcome): string =>
  [result, ...new Set(checks.flatMap(({ code }) => code ?? []))].join(' ');

/** The text with one character replaced by another of base64url's, or by a dot or tilde. */
export function flipCharacter(text: string, seed: number): string {
  const at = seed % text.length;
  const others = alphabet.replace(text[at] ?? '', '');
  return text.slice(0, at) + others[Math.floor(seed / text.length) % others.length] + text.slice(at + 1);
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~';
