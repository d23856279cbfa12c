import { createHmac } from 'node:crypto';
import { SECOND, timestamp } from '#shared/values/time.ts';

/** An endpoint's secret: the operator's, or generated here as `whsec_` and base64. */
export type EndpointSecret = { text: string; generated: boolean };

export type Signing = {
  delivery_id: string;
  body: Buffer;
  /** The newest first; a second one during a rotation. */
  secrets: readonly [EndpointSecret, ...EndpointSecret[]];
  /** The time of the attempt, in milliseconds since 1970. */
  now: number;
};

export const GENERATED_PREFIX = 'whsec_';

/** The signed bytes of an attempt: those of `Service-Signature`, and those of `webhook-signature`. */
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
 * `<Service-Timestamp>.<body>`), which holds one signature and so stays with the oldest valid secret; and the headers of Standard Webhooks
 * (https://www.standardwebhooks.com), whose `webhook-signature` covers every valid secret.
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

/** Standard Webhooks uses the decoded bytes of a `whsec_` secret as the key; an operator's own key is used as it is. */
const standardKey = ({ text, generated }: EndpointSecret) =>
  Buffer.from(generated ? text.slice(GENERATED_PREFIX.length) : text, generated ? 'base64' : 'utf8');
