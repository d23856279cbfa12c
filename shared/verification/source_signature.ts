import type { JWK } from 'jose';
import { createChecklist } from './checklist.ts';
import { quoted } from './json.ts';
import { canonicalJson } from '#shared/json/canonical_json.ts';
import { type Jws, parseDetachedJws } from '#shared/verification/jose/jws.ts';
import { isAlgorithm } from '#shared/verification/jose/signature.ts';
import { findSigner, isSignedBy } from '#shared/verification/jose/signer.ts';
import type { Evidence, Outcome, VerificationInput, Verifier } from './verifier.ts';

/**
 * The reporter's own signature: a detached JWS (RFC 7515 appendix F) over the event as sent. It proves who reported, not that the payment
 * was authorized.
 */
export const sourceSignature: Verifier = { kind: 'source_signature', version: '2', reads: ['signature'], verify };

function verify({ value }: Evidence, { signature, keys, event }: VerificationInput): Outcome {
  const list = createChecklist();
  if (typeof value !== 'string' || !signature) {
    list.open('signature', 'evidence_erased');
    return list.outcome();
  }
  const { text, was_read } = coveredText(signature.signed_input);
  const jws = parseDetachedJws(value, text);
  if (!jws.ok) {
    list.fail('signature', 'malformed_signature', `It ${jws.expected}`);
    return list.outcome();
  }
  const { alg } = jws.value.header;
  if (!isAlgorithm(alg)) {
    list.fail(
      'signature_algorithm',
      'algorithm_not_allowed',
      `alg ${quoted(alg)} is not one of ES256, ES384 and EdDSA`,
    );
    return list.outcome();
  }
  list.pass('signature_algorithm');
  const signer = whoSigned(jws.value, keys, event.occurred_at);
  if (signer.result === 'known') list.pass('signature', signer.name);
  else if (signer.result === 'forged' && was_read)
    list.open('signature', 'signed_text_unknown', 'The event was sent as it was read from a log, not as it was signed');
  else if (signer.result === 'forged') list.fail('signature', 'signature_mismatch', signer.why);
  else list.open('signature', 'key_unknown', `No key ${quoted(jws.value.header['kid'])} was trusted then`);
  return list.outcome();
}

/** The text that a signature covers, as far as it is known: for an event read from a log, without its position. */
function coveredText(signed_input: string): { text: string; was_read: boolean } {
  if (!signed_input.includes('"chain_seq":')) return { text: signed_input, was_read: false };
  const { chain_seq, ...event } = JSON.parse(signed_input) as { chain_seq?: unknown };
  return chain_seq === undefined
    ? { text: signed_input, was_read: false }
    : { text: canonicalJson(event), was_read: true };
}

type Reporter = { result: 'known'; name: string } | { result: 'forged'; why: string } | { result: 'unknown' };

/**
 * Tries the key of the source, then keys trusted for sources, then those of agents. If the source has a key, a signature by no known key is
 * a failure: it is not the source's.
 */
function whoSigned(jws: Jws, keys: VerificationInput['keys'], at: number): Reporter {
  const own: JWK | null = keys.source();
  if (own && isSignedBy(jws, own)) return { result: 'known', name: 'Signed by the key of the source' };
  let why = own ? 'Neither the key of the source nor a trusted one made it' : null;
  for (const use of ['source', 'agent'] as const) {
    const signer = findSigner(jws, keys, use, at);
    if (signer.result === 'believed')
      return { result: 'known', name: `Signed by the trusted key ${quoted(signer.key.kid)}` };
    if (signer.result === 'forged') why ??= signer.why;
  }
  return why === null ? { result: 'unknown' } : { result: 'forged', why };
}
