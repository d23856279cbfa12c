import type { Checklist } from '#shared/verification/checklist.ts';
import type { Hop } from './chain.ts';
import { INVALID_CREDENTIAL, ISSUER_KEY_UNKNOWN, MANDATE_INVALID_SIGNATURE } from './codes.ts';
import { followChain } from '#shared/verification/jose/certificate_chain.ts';
import { quoted } from '#shared/verification/json.ts';
import { isAlgorithm } from '#shared/verification/jose/signature.ts';
import { findSigner, isSignedBy, speaksFor } from '#shared/verification/jose/signer.ts';
import type { VerificationInput } from '#shared/verification/verifier.ts';

/**
 * Checks the signer of the first hop: a key trusted for issuing mandates, named by `kid`, or certified by the `x5c` header up to a trusted
 * root. Returns the issuer's name if trusted.
 */
export function checkIssuer(list: Checklist, hop: Hop, { keys, event }: VerificationInput): { name: string } | null {
  const { header } = hop.jwt;
  if (isKeyBinding(header['typ']) || 'sd_hash' in hop.claims || 'issuer_jwt_hash' in hop.claims) {
    list.fail('issuer_type', INVALID_CREDENTIAL, 'The first hop is a delegation, of which the beginning is missing');
    return null;
  }
  if (!isAlgorithm(header['alg'])) {
    const detail = `alg ${quoted(header['alg'])} is not one of ES256, ES384 and EdDSA`;
    list.fail('issuer_signature', MANDATE_INVALID_SIGNATURE, detail);
    return null;
  }
  const signer =
    'x5c' in header ? certified(hop.jwt, keys, event.occurred_at) : issuerByKey(hop.jwt, keys, event.occurred_at);
  if (signer.result === 'failed') list.fail('issuer_signature', signer.code, signer.detail);
  if (signer.result === 'unknown') list.open('issuer_signature', ISSUER_KEY_UNKNOWN, signer.detail);
  if (signer.result !== 'believed') return null;
  const claimed = hop.claims['iss'] ?? hop.mandates[0]?.['iss'];
  if (!speaksFor(signer.issuer, claimed)) {
    const detail = `The key is ${quoted(signer.issuer)}'s, the mandate says it is from ${quoted(claimed)}`;
    list.fail('issuer', INVALID_CREDENTIAL, detail);
    return null;
  }
  list.pass('issuer_signature', signer.detail);
  return { name: signer.issuer ?? (typeof claimed === 'string' ? claimed : signer.name) };
}

/** The `typ` of a hop signed by the previous hop's key; the SDK also writes it with a hyphen. */
const isKeyBinding = (typ: unknown): boolean => typeof typ === 'string' && /^(application\/)?kb[+-]sd-jwt/i.test(typ);

type Issuer =
  | { result: 'believed'; issuer: string | null; name: string; detail: string }
  | { result: 'unknown'; detail: string }
  | { result: 'failed'; code: string; detail: string };

function issuerByKey(jwt: Hop['jwt'], keys: VerificationInput['keys'], at: number): Issuer {
  const signer = findSigner(jwt, keys, 'ap2_issuer', at);
  if (signer.result === 'believed') {
    const { issuer, kid: name } = signer.key;
    return { result: 'believed', issuer, name, detail: `Signed by the trusted key ${quoted(name)}` };
  }
  if (signer.result === 'forged') return { result: 'failed', code: MANDATE_INVALID_SIGNATURE, detail: signer.why };
  const kid = jwt.header['kid'];
  return {
    result: 'unknown',
    detail:
      kid === undefined ? 'It names no key, and no trusted one made it' : `No key ${quoted(kid)} was trusted then`,
  };
}

function certified(jwt: Hop['jwt'], keys: VerificationInput['keys'], at: number): Issuer {
  const certificate = followChain(jwt.header['x5c'], keys.roots({ use: 'ap2_issuer', at }), at);
  if (!certificate.ok) {
    const detail = `In its certificates: ${certificate.expected}`;
    return byKeyAlone(jwt, keys, at) ?? { result: 'failed', code: INVALID_CREDENTIAL, detail };
  }
  const { jwk, root } = certificate.value;
  if (!isSignedBy(jwt, jwk))
    return { result: 'failed', code: MANDATE_INVALID_SIGNATURE, detail: 'The key of its certificate did not make it' };
  if (!root)
    return (
      byKeyAlone(jwt, keys, at) ?? {
        result: 'unknown',
        detail: 'Its certificates end in no root that was trusted then',
      }
    );
  const detail = 'Signed by a key that a trusted root certifies';
  return { result: 'believed', issuer: root.issuer, name: 'a trusted root', detail };
}

/** A key may be trusted by itself, without its certificates. */
function byKeyAlone(jwt: Hop['jwt'], keys: VerificationInput['keys'], at: number): Issuer | null {
  const signer = jwt.header['kid'] === undefined ? null : issuerByKey(jwt, keys, at);
  return signer?.result === 'believed' ? signer : null;
}
