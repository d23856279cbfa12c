import { createHmac } from 'node:crypto';
import { SECOND, timestamp } from '#shared/values/time.ts';

/** A secret of an endpoint: given by the operator, or generated here as `whsec_` and base64. */
export type EndpointSecret = { text: string; generated: boolean };

export type Signing = {
  delivery_id: string;
  body: Buffer;
  /** The newest first; a second one while a rotation overlaps. */
  secrets: readonly [EndpointSecret, ...EndpointSecret[]];
  /** Milliseconds since 1970: when the attempt is made. */
  now: number;
};

export const GENERATED_PREFIX = 'whsec_';

/** What is signed of an attempt: the bytes under `Service-Signature`, and those under `webhook-signature`. */
export function signedContents({
  delivery_id,
  body,
  now,
}: Omit<Signing, 'secrets'>): Record<'service' | 'standard', Buffer> {
  return {
    service: Buffer.concat([Buffer.from(`${timestamp(now)}.`), body]),
    standard: Buffer.concat([Buffer.from(`${delivery_id}.${secondsOf(now)}.`), body]),
  };
}

/**
 * The headers of one attempt, signed twice: `Service-Signature` of the interface (lower-case hex HMAC-SHA256 of
 * `<Service-Timestamp>.<body>`), which holds one signature and so stays with the oldest secret that counts; and the headers of
 * Standard Webhooks (https://www.standardwebhooks.com), of which `webhook-signature` carries every secret that counts.
 */
export function signedHeaders({ delivery_id, body, secrets, now }: Signing): Record<string, string> {
  const { service, standard } = signedContents({ delivery_id, body, now });
  const oldest = secrets.at(-1) ?? secrets[0];
  return {
    'Content-Type': 'application/json',
    'User-Agent': 'Agent-Payment-Oversight/1 (webhooks)',
    'Service-Delivery-Id': delivery_id,
    'Service-Timestamp': timestamp(now),
    'Service-Signature': `v1=${hmac(oldest.text, service).toString('hex')}`,
    'webhook-id': delivery_id,
    'webhook-timestamp': secondsOf(now),
    'webhook-signature': secrets
      .map(secret => `v1,${hmac(standardKey(secret), standard).toString('base64')}`)
      .join(' '),
  };
}

const secondsOf = (now: number) => String(Math.floor(now / SECOND));

const hmac = (key: string | Buffer, content: Buffer) => createHmac('sha256', key).update(content).digest();

/** Standard Webhooks keys with the decoded bytes of a `whsec_` secret; an operator's own key is used as given. */
const standardKey = ({ text, generated }: EndpointSecret) =>
  Buffer.from(generated ? text.slice(GENERATED_PREFIX.length) : text, generated ? 'base64' : 'utf8');
