import type { Checklist } from '#shared/verification/checklist.ts';
import type { BelievedKey } from '#shared/verification/verifier.ts';
import { type Algorithm, algorithmOf, isAlgorithm, isSignedBy } from './algorithms.ts';
import { factValue } from './evidence_object.ts';
import type { RequestUrl } from './request.ts';
import type { SignatureInput } from './signature_fields.ts';

/** A signature over the `lines` of its base, and the trusted keys with the `keyid` it names. */
type Signed = {
  covered: SignatureInput;
  tag: string;
  signature: Buffer;
  keys: readonly BelievedKey[];
  lines: string;
  url: RequestUrl;
};

/** Records whether one of the keys made the signature, by the algorithm it names; a valid signature uses up its nonce. */
export function judgeSignature({ keys, ...signed }: Signed, list: Checklist): boolean {
  const { parameters } = signed.covered;
  const alg = parameters.get('alg');
  const algorithm = typeof alg === 'string' ? alg.toLowerCase() : undefined;
  if (algorithm !== undefined && !isAlgorithm(algorithm))
    return list.fail('algorithm', 'algorithm_not_allowed', `alg is ${algorithm}`);
  if (keys.length === 0)
    return list.open('key', 'key_unknown', `no trusted agent key is known as ${String(parameters.get('keyid'))}`);
  const fitting = keys.flatMap(({ jwk, thumbprint }) => {
    const own = algorithmOf(jwk, algorithm);
    return own ? [{ jwk, thumbprint, algorithm: own }] : [];
  });
  if (fitting.length === 0)
    return list.fail('algorithm', 'algorithm_mismatch', 'the key is for another algorithm than the signature');
  list.pass('key', fitting[0]?.thumbprint);
  const signer = fitting.find(key => signedIt(key, signed));
  if (!signer) return list.fail('signature', 'signature_mismatch');
  const nonce = parameters.get('nonce');
  // Only a valid signature uses up its nonce: otherwise a forged one could use up those of others.
  if (typeof nonce === 'string')
    list.once({
      scope: 'agent_signature_nonce',
      value: `${signer.thumbprint}:${factValue(nonce)}`,
      code: 'nonce_reused',
    });
  return list.pass('signature', signer.algorithm);
}

type Key = { jwk: BelievedKey['jwk']; algorithm: Algorithm };

/**
 * The parameters are signed in serialized form (RFC 9421 §2.5). Visa's sample agent signs them as it sends them, with a space after each
 * semicolon, and the query with the path; that counts too, since what was sent and what was signed agree.
 */
function signedIt({ jwk, algorithm }: Key, { covered, tag, signature, lines, url }: Omit<Signed, 'keys'>): boolean {
  const { canonical, sent } = covered;
  const isSigned = (above: string, parameters: string) =>
    isSignedBy(jwk, algorithm, Buffer.from(`${above}"@signature-params": ${parameters}`, 'latin1'), signature);
  if (isSigned(lines, canonical) || (sent !== canonical && isSigned(lines, sent))) return true;
  if (tag === 'web-bot-auth' || url.query === null) return false;
  const line = `"@path": ${url.path}\n`;
  const withQuery = lines.replace(line, () => `"@path": ${url.path}${url.query}\n`);
  return withQuery !== lines && (isSigned(withQuery, sent) || (sent !== canonical && isSigned(withQuery, canonical)));
}
