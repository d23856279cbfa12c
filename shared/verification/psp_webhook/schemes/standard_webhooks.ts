import { SECOND } from '#shared/values/time.ts';
import { headerOf } from '#shared/verification/psp_webhook/delivery.ts';
import { fail, headerMissing, isSigned, open, pass, type Scheme } from '#shared/verification/psp_webhook/scheme.ts';

/**
 * Standard Webhooks (and Svix, under its own header names): `webhook-signature` holds `v1,<base64>` once or more, separated by spaces:
 * HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>`. Source: github.com/standard-webhooks/standard-webhooks, spec.
 */
export const standardWebhooksScheme: Scheme = (delivery, { secret }) => {
  const id = headerOf(delivery, 'webhook-id', 'svix-id');
  const time = headerOf(delivery, 'webhook-timestamp', 'svix-timestamp');
  const header = headerOf(delivery, 'webhook-signature', 'svix-signature');
  if (id === null) return headerMissing('webhook-id');
  if (time === null) return headerMissing('webhook-timestamp');
  if (header === null) return headerMissing('webhook-signature');
  const signatures = header.split(/,? +/).flatMap(part => (part.startsWith('v1,') ? part.slice(3) : []));
  if (!/^[0-9]{1,12}$/.test(time) || signatures.length === 0)
    return fail('malformed', 'webhook-timestamp is in seconds, and webhook-signature needs a v1 signature');
  if (delivery.raw === null)
    return open('body_not_raw', 'the body was kept as an object; its bytes are what is signed');
  const signed = `${id}.${time}.${delivery.raw}`;
  const keys = keysOf(secret);
  if (keys.length === 0) return open('secret_unusable', 'after whsec_ comes base64');
  return keys.some(key => isSigned({ algorithm: 'sha256', key, encoding: 'base64' }, signed, signatures))
    ? pass(Number(time) * SECOND, id)
    : fail('signature_mismatch');
};

/** After `whsec_` comes base64. Without it libraries read base64 too, but a secret that a person thought up is used as its text. */
function keysOf(secret: string): Buffer[] {
  if (secret.startsWith('whsec_')) {
    const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
    return key.length > 0 ? [key] : [];
  }
  const decoded = Buffer.from(secret, 'base64');
  return decoded.toString('base64') === secret ? [decoded, Buffer.from(secret)] : [Buffer.from(secret)];
}
