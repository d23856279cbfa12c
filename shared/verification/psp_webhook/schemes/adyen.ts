import { isHexSecret } from '#shared/keys/psp_config.ts';
import { asRecord, textOf } from '#shared/verification/json.ts';
import { headerOf } from '#shared/verification/psp_webhook/delivery.ts';
import { fail, headerMissing, isSigned, open, pass, type Scheme } from '#shared/verification/psp_webhook/scheme.ts';

/**
 * Adyen signs in two ways, both HMAC-SHA256 in base64 with a hexadecimal key. Payment webhooks sign eight members of each
 * `NotificationRequestItem` joined by colons, in `additionalData.hmacSignature`; platform webhooks sign the body, in the header
 * `HmacSignature`. Neither signs a time. Source: docs.adyen.com, "Verify HMAC signatures".
 */
export const adyenScheme: Scheme = (delivery, { secret }, payload) => {
  if (!isHexSecret(secret))
    return open('secret_unusable', 'the signing secret is not hexadecimal, as those of Adyen are');
  const hmac = { algorithm: 'sha256', key: Buffer.from(secret, 'hex'), encoding: 'base64' } as const;
  const items = payload && notificationItems(payload);
  if (items) {
    const sound =
      items.length > 0 &&
      items.every(item => {
        const signed = signedText(item);
        const signature = textOf(asRecord(item['additionalData']) ?? {}, 'hmacSignature');
        return signed !== null && signature !== null && signed.some(text => isSigned(hmac, text, [signature]));
      });
    return sound ? pass(null, null) : fail('signature_mismatch');
  }
  const header = headerOf(delivery, 'hmacsignature');
  if (header === null) return headerMissing('HmacSignature');
  if (delivery.raw === null)
    return open('body_not_raw', 'the body was kept as an object; its bytes are what is signed');
  return isSigned(hmac, delivery.raw, [header]) ? pass(null, null) : fail('signature_mismatch');
};

/** The items of a payment webhook; null when the body is of another kind, empty when it has no list or too many. */
export function notificationItems(payload: Record<string, unknown>): Record<string, unknown>[] | null {
  if (!Object.hasOwn(payload, 'notificationItems')) return null;
  const items = payload['notificationItems'];
  if (!Array.isArray(items) || items.length > 50) return [];
  return items.map(item => asRecord(asRecord(item)?.['NotificationRequestItem']) ?? {});
}

/**
 * What is signed of an item. Only the merchant's reference may hold a colon, or one member could pass for two. Adyen's libraries
 * leave it as it is, its older ones escaped it.
 */
function signedText(item: Record<string, unknown>): string[] | null {
  const { value, currency } = asRecord(item['amount']) ?? {};
  const { pspReference, originalReference, merchantAccountCode, merchantReference, eventCode, success } = item;
  const before = [pspReference, originalReference, merchantAccountCode].map(plain);
  const reference = merchantReference === undefined || merchantReference === null ? '' : merchantReference;
  const after = [value, currency, eventCode, success].map(plain);
  if (typeof reference !== 'string' || [...before, ...after].includes(null)) return null;
  const escaped = reference.replaceAll('\\', '\\\\').replaceAll(':', '\\:');
  return [...new Set([reference, escaped])].map(text => [...before, text, ...after].join(':'));
}

/** A member as it is signed: nothing for an absent one; null for what could not have been. */
function plain(value: unknown): string | null {
  if (value === undefined || value === null) return '';
  if (typeof value === 'number') return Number.isSafeInteger(value) ? String(value) : null;
  if (typeof value === 'boolean') return String(value);
  return typeof value === 'string' && !value.includes(':') ? value : null;
}
