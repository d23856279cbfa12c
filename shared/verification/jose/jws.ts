import { decodeBase64url } from './base64url.ts';
import { isObject, type JsonObject, readJson } from '#shared/verification/json.ts';
import { type Parsed, parsed, unparsed } from '#shared/values/parsed.ts';

/** A JSON Web Signature (RFC 7515), parsed but not verified. `signed` is what the signature covers. */
export type Jws = { header: JsonObject; payload: Buffer; signed: Buffer; signature: Buffer };

/** A JWS whose payload is an object of claims (RFC 7519). */
export type Jwt = Jws & { claims: JsonObject };

const LONGEST = 131_072;

/** Reads the compact serialization (RFC 7515 §7.1). Every part must be canonical base64url. */
export function parseJws(text: string): Parsed<Jws> {
  if (text.length > LONGEST) return unparsed(`must be at most ${LONGEST} characters`);
  const parts = text.split('.');
  const [protectedText = '', payloadText = '', signatureText = ''] = parts;
  if (parts.length !== 3 || payloadText === '') return unparsed('must have three parts: header.payload.signature');
  const header = readHeader(protectedText);
  if (!header.ok) return header;
  if ('b64' in header.value || 'crit' in header.value) return unparsed(noExtensions);
  const payload = decodeBase64url(payloadText);
  const signature = decodeBase64url(signatureText);
  if (!payload || !signature) return unparsed('must have a payload and a signature in base64url');
  return parsed({ header: header.value, payload, signed: Buffer.from(`${protectedText}.${payloadText}`), signature });
}

/** Reads a JWT. Its claims are strict JSON: no name may occur twice. */
export function parseJwt(text: string): Parsed<Jwt> {
  const jws = parseJws(text);
  if (!jws.ok) return jws;
  const claims = readJson(jws.value.payload);
  return isObject(claims) ? parsed({ ...jws.value, claims }) : unparsed('must have a JSON object as payload');
}

/**
 * Reads a JWS with detached payload (RFC 7515 appendix F) over `content`, which is UTF-8 text; `b64: false` (RFC 7797) is accepted only if
 * `crit` names it.
 */
export function parseDetachedJws(text: string, content: string): Parsed<Jws> {
  const parts = text.length > LONGEST ? [] : text.split('.');
  const [protectedText = '', payloadText = '', signatureText = ''] = parts;
  if (parts.length !== 3 || payloadText !== '') return unparsed('must be a detached JWS: header..signature');
  const header = readHeader(protectedText);
  if (!header.ok) return header;
  const encoding = payloadEncoding(header.value);
  if (!encoding) return unparsed(noExtensions);
  const signature = decodeBase64url(signatureText);
  if (!signature) return unparsed('must have a signature in base64url');
  const payload = Buffer.from(content);
  const carried = encoding === 'plain' ? payload : Buffer.from(payload.toString('base64url'));
  return parsed({
    header: header.value,
    payload,
    signed: Buffer.concat([Buffer.from(`${protectedText}.`), carried]),
    signature,
  });
}

const noExtensions = 'must not ask for extensions (crit, b64) that are not understood here';

function readHeader(text: string): Parsed<JsonObject> {
  const bytes = decodeBase64url(text);
  const header = bytes && readJson(bytes);
  return isObject(header) ? parsed(header) : unparsed('must have a JSON object in base64url as header');
}

function payloadEncoding({ b64, crit }: JsonObject): 'base64url' | 'plain' | null {
  if (b64 === undefined && crit === undefined) return 'base64url';
  const isListed = Array.isArray(crit) && crit.length === 1 && crit[0] === 'b64';
  if (!isListed || typeof b64 !== 'boolean') return null;
  return b64 ? 'base64url' : 'plain';
}
