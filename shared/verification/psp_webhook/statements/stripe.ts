import type { EventType } from '#shared/values/event_types.ts';
import { asRecord, textOf } from '#shared/verification/json.ts';
import { currencyCode, isoMinor } from '#shared/verification/psp_webhook/psp_amount.ts';
import { type PspStatement, silent } from '#shared/verification/psp_webhook/statement.ts';
import { metadataValues, secondsMember } from './members.ts';

/**
 * What a Stripe event says (docs.stripe.com/api/events): PaymentIntent, Charge, Refund, Dispute, Checkout Session, Invoice, and the
 * authorizations and transactions of issued cards. A bare object, without its event, is read too.
 */
export function readStripe(body: Record<string, unknown>): PspStatement {
  const isEvent = body['object'] === 'event';
  const data = isEvent ? asRecord(body['data']) : null;
  const object = isEvent ? asRecord(data?.['object']) : body;
  if (!object) return silent;
  const currency = currencyCode(object['currency']);
  const type = isEvent ? textOf(body, 'type') : null;
  return {
    notice: isEvent ? textOf(body, 'id') : null,
    happened_at: isEvent ? secondsMember(body, 'created') : null,
    references: idsOf(object),
    mentions: metadataValues(object),
    amounts: amountsOf(object, type, asRecord(data?.['previous_attributes'])).map(value =>
      isoMinor('stripe', value, currency ?? ''),
    ),
    partial: object['object'] === 'dispute',
    currency,
    types: (type === null ? null : typesOfEvent(type, object)) ?? typesOfStatus(object),
    merchants: merchantsOf(body, object),
    live: typeof body['livemode'] === 'boolean' ? body['livemode'] : null,
  };
}

const idMembers = [
  'id',
  'payment_intent',
  'charge',
  'latest_charge',
  'invoice',
  'client_reference_id',
  'transfer_group',
  'authorization',
];

/** Ids, whether what they name is expanded or not. */
const idsOf = (object: Record<string, unknown>): string[] =>
  idMembers.flatMap(name => textOf(object, name) ?? textOf(asRecord(object[name]) ?? {}, 'id') ?? []);

/** The amounts that the event's own may be, most of them by the object's kind. */
function amountsOf(
  object: Record<string, unknown>,
  type: string | null,
  before: Record<string, unknown> | null,
): unknown[] {
  const member = (...names: string[]) =>
    names.map(name => object[name]).filter(value => value !== undefined && value !== null);
  switch (object['object']) {
    case 'payment_intent':
      if (object['status'] === 'succeeded')
        return member('amount_received').length > 0 ? member('amount_received') : member('amount');
      return object['status'] === 'requires_capture' ? member('amount_capturable', 'amount') : member('amount');
    case 'charge': {
      const refunded = object['amount_refunded'];
      // What is captured in part has the rest refunded, and says so in the same charge.
      const captured = type === 'charge.captured' || type === 'charge.succeeded';
      if (!captured && typeof refunded === 'number' && refunded > 0) {
        const earlier = before?.['amount_refunded'];
        return typeof earlier === 'number' ? [refunded - earlier, refunded] : [refunded];
      }
      return object['captured'] === true && member('amount_captured').length > 0
        ? member('amount_captured')
        : member('amount');
    }
    case 'checkout.session':
      return member('amount_total');
    case 'invoice':
      return object['status'] === 'paid' ? member('amount_paid') : member('amount_due');
    case 'issuing.authorization': {
      // As long as it is being asked for, nothing is authorized yet.
      const pending_amount = asRecord(object['pending_request'])?.['amount'];
      return typeof pending_amount === 'number' ? [pending_amount] : member('amount');
    }
    default:
      return member('amount');
  }
}

const merchantsOf = (body: Record<string, unknown>, object: Record<string, unknown>): string[] =>
  [
    textOf(body, 'account'),
    textOf(object, 'on_behalf_of'),
    textOf(asRecord(object['transfer_data']) ?? {}, 'destination'),
    textOf(asRecord(object['merchant_data']) ?? {}, 'network_id'),
  ].flatMap(id => id ?? []);

/** What has succeeded was authorized too; null where the event's name says nothing of a payment's state. */
function typesOfEvent(type: string, object: Record<string, unknown>): readonly EventType[] | null {
  if (type.startsWith('charge.dispute.')) return typesOfDispute(type, object);
  if (type === 'charge.succeeded') return object['captured'] === false ? ['payment.authorized'] : settled;
  if (type.startsWith('issuing_authorization.')) return typesOfAuthorization(type, object);
  if (type === 'issuing_transaction.created') return object['type'] === 'refund' ? ['payment.refunded'] : settled;
  if (type.startsWith('issuing_transaction.')) return [];
  if (type === 'checkout.session.completed') return object['payment_status'] === 'unpaid' ? requested : settled;
  return stripeTypes.get(type) ?? null;
}

/** What was disputed stays so until the dispute is won or comes to nothing; of that, events of payments say nothing. */
const typesOfDispute = (type: string | null, { status }: Record<string, unknown>): readonly EventType[] =>
  type === 'charge.dispute.funds_reinstated' ||
  status === 'won' ||
  status === 'warning_closed' ||
  status === 'prevented'
    ? []
    : ['payment.disputed'];

/** Of an issued card. What is closed was captured, which a transaction of its own says, or had been declined. */
function typesOfAuthorization(type: string, { approved, status }: Record<string, unknown>): readonly EventType[] {
  if (type === 'issuing_authorization.request') return requested;
  if (status === 'reversed' || status === 'expired') return ['payment.canceled'];
  if (type === 'issuing_authorization.created') return approved === true ? authorized : ['payment.failed'];
  return status === 'pending' && approved === true ? authorized : [];
}

function typesOfStatus(object: Record<string, unknown>): readonly EventType[] | null {
  if (object['object'] === 'dispute') return typesOfDispute(null, object);
  if (object['object'] === 'refund')
    return object['status'] === 'failed' || object['status'] === 'canceled' ? [] : ['payment.refunded'];
  if (object['object'] !== 'payment_intent') return null;
  if (object['status'] === 'succeeded') return settled;
  if (object['status'] === 'canceled') return ['payment.canceled'];
  return object['status'] === 'requires_capture' ? ['payment.authorized'] : null;
}

const settled: readonly EventType[] = ['payment.settled', 'payment.authorized'];
/** Many report as settled what the network has authorized. */
const authorized: readonly EventType[] = ['payment.authorized', 'payment.settled'];
const requested: readonly EventType[] = ['payment.requested', 'payment.authorized'];

const stripeTypes: ReadonlyMap<string, readonly EventType[]> = new Map<string, readonly EventType[]>(
  Object.entries({
    'payment_intent.created': ['payment.requested'],
    'payment_intent.requires_action': ['payment.requested'],
    'payment_intent.processing': requested,
    'payment_intent.amount_capturable_updated': ['payment.authorized'],
    'payment_intent.succeeded': settled,
    'payment_intent.payment_failed': ['payment.failed'],
    'payment_intent.canceled': ['payment.canceled'],
    'charge.pending': requested,
    'charge.captured': settled,
    'charge.failed': ['payment.failed'],
    'charge.expired': ['payment.canceled', 'payment.failed'],
    'charge.refunded': ['payment.refunded'],
    'refund.failed': [],
    'checkout.session.async_payment_succeeded': settled,
    'checkout.session.async_payment_failed': ['payment.failed'],
    'checkout.session.expired': ['payment.canceled', 'payment.failed'],
    'invoice.paid': settled,
    'invoice.payment_succeeded': settled,
    'invoice.payment_failed': ['payment.failed'],
  }),
);
