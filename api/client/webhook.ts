import { OversightError } from './error.ts';

/**
 * The content of a webhook. `id` is the same for every attempt and every replay of a delivery: do nothing the second time. It is null if
 * `webhook-signature` is missing or too old, since `Service-Signature` signs no id.
 */
export type WebhookEvent = { id: string | null; created_at: string } & (
  | { type: 'alert.created'; data: { alert_id: string; event_id: string } }
  | { type: 'screening.potential_match'; data: { screening_id: string; event_id: string | null } }
  | { type: 'pack.ready'; data: { pack_id: string } }
);

export type Delivery = {
  /** The body as received, before parsing. */
  body: string | Uint8Array | ArrayBuffer;
  headers: { get(name: string): string | null } | Record<string, string | string[] | undefined>;
  /** The secret of the endpoint; both during a rotation. */
  secret: string | readonly string[];
  /** How far the time of a delivery may be from now, in milliseconds; five minutes when omitted. */
  tolerance?: number;
  now?: number;
};

const FIVE_MINUTES = 5 * 60 * 1_000;
const GENERATED_PREFIX = 'whsec_';

/**
 * Returns the content of a webhook after verifying that the service sent it: that `Service-Signature`, or `webhook-signature` (Standard
 * Webhooks), is recent and was made with the secret. Signatures are compared in constant time. Throws OversightError: `missing_header`,
 * `expired`, `invalid_signature`, `malformed_json`; and a TypeError where there is no `secret` to verify with.
 */
export async function verifyWebhook({
  body,
  headers,
  secret,
  tolerance = FIVE_MINUTES,
  now = Date.now(),
}: Delivery): Promise<WebhookEvent> {
  const secrets = typeof secret === 'string' ? [secret] : secret;
  // In a program without types, a variable of the environment that is not set.
  if (!Array.isArray(secrets) || !secrets.every(each => typeof each === 'string'))
    throw new TypeError(
      'verifyWebhook needs secret: the secret of the endpoint, or an array of both during a rotation.',
    );
  const bytes = typeof body === 'string' ? encoder.encode(body) : Uint8Array.from(new Uint8Array(body));
  const signed = [serviceSigned(headers), standardSigned(headers)].filter(scheme => scheme !== null);
  if (signed.length === 0)
    throw new OversightError(
      'missing_header',
      'The request has neither Service-Signature and Service-Timestamp nor webhook-id, webhook-timestamp and webhook-signature.',
    );
  const recent = signed.filter(({ time }) => Math.abs(now - time) <= tolerance);
  if (recent.length === 0)
    throw new OversightError('expired', 'The time of the delivery is too far from the time here. Is this clock right?');
  const pairs = recent.flatMap(scheme => secrets.map(each => ({ scheme, each })));
  const verdicts = await Promise.all(pairs.map(({ scheme, each }) => isGenuine(scheme, each, bytes)));
  const genuine = pairs.flatMap(({ scheme }, index) => (verdicts[index] ? [scheme] : []));
  if (genuine.length === 0)
    throw new OversightError(
      'invalid_signature',
      'No signature of the delivery was made with this secret. Is the body as it came, before anything parsed it?',
    );
  try {
    const event = JSON.parse(new TextDecoder().decode(bytes)) as WebhookEvent;
    return { ...event, id: genuine.find(({ id }) => id !== null)?.id ?? null };
  } catch {
    throw new OversightError('malformed_json', 'The body of the delivery is not JSON.');
  }
}

/** What a scheme signs: `<head>.<body>`, and the id in it. Signatures as bytes, the time in milliseconds since 1970. */
type Signed = {
  id: string | null;
  head: string;
  time: number;
  signatures: Uint8Array<ArrayBuffer>[];
  keyOf: (secret: string) => Uint8Array<ArrayBuffer>;
};

/** Lower-case hex after `v1=`; the key is the whole secret as text. */
function serviceSigned(headers: Delivery['headers']): Signed | null {
  const [head, signature] = [headerOf(headers, 'service-timestamp'), headerOf(headers, 'service-signature')];
  if (!head || !signature) return null;
  const hex = /^v1=((?:[0-9a-f]{2})+)$/.exec(signature)?.[1] ?? '';
  const bytes = Uint8Array.from(hex.match(/../g) ?? [], pair => Number.parseInt(pair, 16));
  return { id: null, head, time: Date.parse(head), signatures: [bytes], keyOf: secret => encoder.encode(secret) };
}

/** Standard Webhooks: `v1,` and base64, several separated by spaces; for a generated secret, the key is its decoded base64. */
function standardSigned(headers: Delivery['headers']): Signed | null {
  const [id, seconds] = [headerOf(headers, 'webhook-id'), headerOf(headers, 'webhook-timestamp')];
  const signature = headerOf(headers, 'webhook-signature');
  if (!id || !seconds || !signature) return null;
  // Repeated headers are joined with commas (RFC 9110, 5.3).
  const signatures = signature.split(/,? +/).flatMap(each => (each.startsWith('v1,') ? fromBase64(each.slice(3)) : []));
  const keyOf = (secret: string) =>
    secret.startsWith(GENERATED_PREFIX)
      ? (fromBase64(secret.slice(GENERATED_PREFIX.length))[0] ?? encoder.encode(secret))
      : encoder.encode(secret);
  return { id, head: `${id}.${seconds}`, time: Number(seconds) * 1_000, signatures, keyOf };
}

async function isGenuine(
  { head, signatures, keyOf }: Signed,
  secret: string,
  body: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  if (secret === '') return false;
  const hmac = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', keyOf(secret), hmac, false, ['verify']);
  const content = await new Blob([encoder.encode(`${head}.`), body]).arrayBuffer();
  const verdicts = await Promise.all(signatures.map(each => crypto.subtle.verify('HMAC', key, each, content)));
  return verdicts.includes(true);
}

/** One header from any kind of header object, in any case. */
function headerOf(headers: Delivery['headers'], name: string): string | undefined {
  if (typeof headers.get === 'function') return headers.get(name) ?? undefined;
  const [, value] = Object.entries(headers).find(([each]) => each.toLowerCase() === name) ?? [];
  return Array.isArray(value) ? value.join(', ') : (value as string | undefined);
}

/** The decoded bytes; an empty list if the text is not base64. */
function fromBase64(text: string): Uint8Array<ArrayBuffer>[] {
  try {
    return [Uint8Array.from(atob(text), character => character.charCodeAt(0))];
  } catch {
    return [];
  }
}

const encoder = new TextEncoder();
