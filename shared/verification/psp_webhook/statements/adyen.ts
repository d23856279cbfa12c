import type { EventType } from '#shared/values/event_types.ts';
import { asRecord, textOf } from '#shared/verification/json.ts';
import { currencyCode, isoMinor } from '#shared/verification/psp_webhook/psp_amount.ts';
import type { PspStatement } from '#shared/verification/psp_webhook/statement.ts';
import { timeMember } from './members.ts';

/** What a notification in Adyen's payment webhook says (docs.adyen.com, "Webhook structure"). */
export function readAdyenItem(item: Record<string, unknown>, live: unknown): PspStatement {
  const amount = asRecord(item['amount']) ?? {};
  const currency = currencyCode(amount['currency']);
  const code = textOf(item, 'eventCode') ?? '';
  const succeeded = String(item['success']) === 'true';
  const reference = textOf(item, 'pspReference');
  return {
    notice: reference && `${reference}:${code}:${succeeded}`,
    happened_at: timeMember(item, 'eventDate'),
    references: ['pspReference', 'originalReference', 'merchantReference'].flatMap(name => textOf(item, name) ?? []),
    mentions: [],
    amounts: amount['value'] === undefined ? [] : [isoMinor('adyen', amount['value'], currency ?? '')],
    partial: disputes.has(code),
    currency,
    types: typesOf(code, succeeded, item),
    merchants: [textOf(item, 'merchantAccountCode')].flatMap(id => id ?? []),
    live: live === 'true' || live === true ? true : live === 'false' || live === false ? false : null,
  };
}

const disputes = new Set([
  'CHARGEBACK',
  'NOTIFICATION_OF_CHARGEBACK',
  'REQUEST_FOR_INFORMATION',
  'SECOND_CHARGEBACK',
  'PREARBITRATION_LOST',
]);

function typesOf(code: string, succeeded: boolean, item: Record<string, unknown>): readonly EventType[] | null {
  if (disputes.has(code)) return ['payment.disputed'];
  const action = textOf(asRecord(item['additionalData']) ?? {}, 'modification.action');
  if (code === 'CANCEL_OR_REFUND' && succeeded && action !== null)
    return [action === 'cancel' ? 'payment.canceled' : 'payment.refunded'];
  const types = adyenTypes.get(code);
  if (!types || succeeded) return types ?? null;
  // A refund or a cancellation that did not come about leaves the payment what it was.
  return code === 'AUTHORISATION' || code === 'CAPTURE' ? ['payment.failed'] : [];
}

/** Payments are captured automatically unless the merchant says otherwise: an authorization may be all that is ever sent. */
const adyenTypes: ReadonlyMap<string, readonly EventType[]> = new Map<string, readonly EventType[]>(
  Object.entries({
    AUTHORISATION: ['payment.authorized', 'payment.settled'],
    AUTHORISATION_ADJUSTMENT: ['payment.authorized'],
    CAPTURE: ['payment.settled', 'payment.authorized'],
    CAPTURE_FAILED: ['payment.failed'],
    REFUND: ['payment.refunded'],
    REFUND_WITH_DATA: ['payment.refunded'],
    CANCEL_OR_REFUND: ['payment.refunded', 'payment.canceled'],
    CANCELLATION: ['payment.canceled'],
    TECHNICAL_CANCEL: ['payment.canceled'],
    EXPIRE: ['payment.canceled'],
    REFUND_FAILED: [],
  }),
);
