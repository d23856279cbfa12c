import type { EventType } from '#shared/values/event_types.ts';
import { asRecord, textOf } from '#shared/verification/json.ts';
import { currencyCode, isoMinor } from '#shared/verification/psp_webhook/psp_amount.ts';
import { type PspStatement, silent } from '#shared/verification/psp_webhook/statement.ts';
import { timeMember } from './members.ts';

/**
 * What Adyen's payment webhook says of a payment (docs.adyen.com, "Webhook structure"): the item that names it, or the only one.
 */
export function readAdyen(items: readonly Record<string, unknown>[], live: unknown, payment_id: string): PspStatement {
  const statements = items.map(item => readItem(item, live));
  const named = statements.find(({ references }) => references.includes(payment_id));
  return named ?? (statements.length === 1 ? (statements[0] ?? silent) : silent);
}

function readItem(item: Record<string, unknown>, live: unknown): PspStatement {
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
    types: typesOf(code, succeeded),
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

function typesOf(code: string, succeeded: boolean): readonly EventType[] | null {
  if (disputes.has(code)) return ['payment.disputed'];
  const types = adyenTypes.get(code);
  if (!types || succeeded) return types ?? null;
  // A refund or a cancellation that did not come about leaves the payment what it was.
  return code === 'AUTHORISATION' || code === 'CAPTURE' ? ['payment.failed'] : [];
}

/** Payments are captured automatically unless the merchant says otherwise: an authorization may be all that is ever sent. */
const adyenTypes: ReadonlyMap<string, readonly EventType[]> = new Map<string, readonly EventType[]>(
  Object.entries({
    AUTHORISATION: ['payment.authorized', 'payment.settled'],
    CAPTURE: ['payment.settled', 'payment.authorized'],
    CAPTURE_FAILED: ['payment.failed'],
    REFUND: ['payment.refunded'],
    CANCEL_OR_REFUND: ['payment.refunded', 'payment.canceled'],
    CANCELLATION: ['payment.canceled'],
    TECHNICAL_CANCEL: ['payment.canceled'],
    REFUND_FAILED: [],
  }),
);
