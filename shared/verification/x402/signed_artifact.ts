import { hash } from 'node:crypto';
import type { z } from 'zod';
import { OfferPayload, offerHash, ReceiptPayload, receiptHash } from './artifact_payloads.ts';
import { type CompactJws, readCompactJws } from './compact_jws.ts';
import { isObject } from '#shared/verification/json.ts';
import { type ReadResult, readAs, readObject } from './read_evidence.ts';

/** What a seller signed, and how: by EIP-712, or as a JWS. */
export type SignedArtifact<T> = { payload: T; proof: Proof };

/** `digest` (hex) identifies what was signed. */
export type Proof =
  | { format: 'eip712'; digest: string; hash: Uint8Array; signature: string }
  | { format: 'jws'; digest: string; jws: CompactJws };

/** Reads a signed offer: an object, its JSON, or a bare compact JWS. */
export const readOffer = (value: string | Record<string, unknown>): ReadResult<SignedArtifact<OfferPayload>> =>
  readArtifact(value, { schema: OfferPayload, hashOf: offerHash });

/** Reads a signed receipt, in the same forms. */
export const readReceipt = (value: string | Record<string, unknown>): ReadResult<SignedArtifact<ReceiptPayload>> =>
  readArtifact(value, { schema: ReceiptPayload, hashOf: receiptHash });

type Kind<T> = { schema: z.ZodType<T> & { shape: object }; hashOf: (payload: T) => Uint8Array };

function readArtifact<T>(value: string | Record<string, unknown>, kind: Kind<T>): ReadResult<SignedArtifact<T>> {
  if (typeof value === 'string' && compact.test(value.trim())) return readSignedJws(value.trim(), kind);
  const raw = readObject(value);
  if (!raw.ok) return raw;
  const { format, signature, payload } = raw.value;
  if (typeof signature !== 'string') return { ok: false, reason: 'signature: must be a text' };
  if (format === 'eip712') return readTypedData(signature, payload, kind);
  if (format !== 'jws') return { ok: false, reason: 'format: must be eip712 or jws' };
  // It would be a second, unsigned text.
  if (payload !== undefined) return { ok: false, reason: 'payload: must be left out, the JWS holds it' };
  return readSignedJws(signature, kind);
}

const compact = /^[A-Za-z0-9_=-]+\.[A-Za-z0-9_=-]+\.[A-Za-z0-9_=-]*$/;

function readTypedData<T>(
  signature: string,
  payload: unknown,
  { schema, hashOf }: Kind<T>,
): ReadResult<SignedArtifact<T>> {
  if (!isObject(payload)) return { ok: false, reason: 'payload: must be an object' };
  // The signature covers the members of the type and no others.
  if (!Object.keys(payload).every(name => Object.hasOwn(schema.shape, name)))
    return { ok: false, reason: 'payload: has a member that is not signed' };
  const parsed = readAs(schema, payload);
  if (!parsed.ok) return { ok: false, reason: `payload.${parsed.reason}` };
  const hashed = hashOf(parsed.value);
  const digest = Buffer.from(hashed).toString('hex');
  return { ok: true, value: { payload: parsed.value, proof: { format: 'eip712', digest, hash: hashed, signature } } };
}

function readSignedJws<T>(text: string, { schema }: Kind<T>): ReadResult<SignedArtifact<T>> {
  const jws = readCompactJws(text);
  if (!jws.ok) return jws;
  const parsed = readAs(schema, jws.value.payload);
  if (!parsed.ok) return { ok: false, reason: `payload.${parsed.reason}` };
  const digest = hash('sha256', jws.value.encoded_payload);
  return { ok: true, value: { payload: parsed.value, proof: { format: 'jws', digest, jws: jws.value } } };
}
