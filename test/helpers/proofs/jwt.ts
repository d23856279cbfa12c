import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { calculateJwkThumbprint, CompactSign, FlattenedSign, type JWK } from 'jose';
import { createKeyResolver, type KeyRow } from '#shared/verification/keys.ts';
import type { ReportedEvent } from '#shared/resources/events/reported_event.ts';
import type { Evidence, Outcome, VerificationInput } from '#shared/verification/verifier.ts';

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

/** The moment test events occur at. */
export const OCCURRED_AT = Date.parse('2026-11-20T09:30:00.000Z');
export const SECONDS = OCCURRED_AT / 1_000;

/** A settled card payment of 199.00 USD to a merchant known by its id; `changes` replace members. */
export const reported = (changes: Partial<ReportedEvent> = {}): ReportedEvent => ({
  id: 'evt_01KADG3M5QJ8V2X4Z6B7C9D0EF',
  type: 'payment.settled',
  occurred_at: OCCURRED_AT,
  environment: 'sandbox',
  source_id: 'src_1',
  agent_id: 'agt_1',
  owner_id: 'own_1',
  mandate_id: null,
  payment_id: 'pay_1',
  rail: 'card',
  status: 'settled',
  amount: { value: 19_900n, denomination: 'USD', currency: 'USD', asset: null },
  usd_micro: 199_000_000n,
  payee: { key: 'merchant:stripe:merchant_1', type: 'merchant', name: 'Demo Merchant', country: 'US' },
  resource_url: null,
  category: null,
  instrument: null,
  human_present: null,
  evidence_kinds: [],
  ...changes,
});

/** Pieces of evidence by kind, as the log has them. */
export const evidenceOf = (pieces: Record<string, Evidence['value']>): Evidence[] =>
  Object.entries(pieces).map(([kind, value], index) => ({ id: `evd_${index}`, kind, value }));

/** All that a verifier is shown. */
export const shown = (
  evidence: readonly Evidence[],
  keys: readonly KeyRow[],
  changes: Partial<VerificationInput> = {},
): VerificationInput => ({
  event: reported(),
  evidence,
  signature: null,
  keys: createKeyResolver(keys, null),
  webhook_secret: null,
  chain: { transaction: () => undefined },
  ...changes,
});

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
