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

/**
 * The headers of one attempt, signed twice: `Service-Signature` of the interface (lower-case hex HMAC-SHA256 of
 * `<Service-Timestamp>.<body>`, newest secret only) and the headers of Standard Webhooks (https://www.standardwebhooks.com),
 * of which `webhook-signature` carries every secret that still counts.
 */
export function signedHeaders({ delivery_id, body, secrets, now }: Signing): Record<string, string> {
  const time = timestamp(now);
  const seconds = String(Math.floor(now / SECOND));
  return {
    'Content-Type': 'application/json',
    'User-Agent': 'Agent-Payment-Oversight/1 (webhooks)',
    'Service-Delivery-Id': delivery_id,
    'Service-Timestamp': time,
    'Service-Signature': `v1=${hmac(secrets[0].text, time, body).toString('hex')}`,
    'webhook-id': delivery_id,
    'webhook-timestamp': seconds,
    'webhook-signature': secrets
      .map(secret => `v1,${hmac(standardKey(secret), `${delivery_id}.${seconds}`, body).toString('base64')}`)
      .join(' '),
  };
}

const hmac = (key: string | Buffer, head: string, body: Buffer) =>
  createHmac('sha256', key).update(`${head}.`).update(body).digest();

/** Standard Webhooks keys with the decoded bytes of a `whsec_` secret; an operator's own key is used as given. */
const standardKey = ({ text, generated }: EndpointSecret) =>
  Buffer.from(generated ? text.slice(GENERATED_PREFIX.length) : text, generated ? 'base64' : 'utf8');
