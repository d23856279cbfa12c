import { createHmac, timingSafeEqual } from 'node:crypto';
import type { WebhookSecret } from '#shared/verification/verifier.ts';
import type { ReceivedWebhook } from './delivery.ts';

/**
 * What a scheme says of a delivery. `sent_at` (ms since 1970) and `id` are what the sender put beside the body: null where the scheme
 * has none, or does not sign it.
 */
export type SchemeResult =
  | { result: 'pass'; sent_at: number | null; id: string | null }
  | { result: 'fail' | 'open'; code: string; detail?: string };

/** How a payment service signs its webhooks. `payload` is the body as it parses. */
export type Scheme = (
  delivery: ReceivedWebhook,
  secret: WebhookSecret,
  payload: Record<string, unknown> | null,
) => SchemeResult;

export const pass = (sent_at: number | null, id: string | null): SchemeResult => ({ result: 'pass', sent_at, id });
export const fail = (code: string, detail?: string): SchemeResult => ({
  result: 'fail',
  code,
  ...(detail && { detail }),
});
export const open = (code: string, detail?: string): SchemeResult => ({
  result: 'open',
  code,
  ...(detail && { detail }),
});
export const headerMissing = (name: string) => fail('header_missing', `${name} is not among the headers`);

/** Whether one of the given texts is the HMAC; all are compared, in constant time. Hexadecimal in either case, base64 exactly. */
export function isSigned(
  { algorithm, key, encoding }: { algorithm: string; key: string | Buffer; encoding: 'hex' | 'base64' },
  signed: string,
  signatures: readonly string[],
): boolean {
  const expected = Buffer.from(createHmac(algorithm, key).update(signed).digest(encoding));
  let isMatch = false;
  for (const text of signatures.slice(0, MOST_SIGNATURES)) {
    const bytes = Buffer.from(encoding === 'hex' ? text.toLowerCase() : text);
    if (bytes.length === expected.length && timingSafeEqual(bytes, expected)) isMatch = true;
  }
  return isMatch;
}

/** While a secret is rotated two are sent; more are an attempt to guess. */
const MOST_SIGNATURES = 16;
