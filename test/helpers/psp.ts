import { createHmac } from 'node:crypto';

/** A webhook as a payment service sends it. */
export type Sent = { body: string; headers: Record<string, string> };

const json = { 'content-type': 'application/json' };

/** Signed as Stripe signs: `t` in seconds. */
export function byStripe(secret: string, event: unknown, at = Date.now()): Sent {
  const body = JSON.stringify(event, null, 2);
  const t = Math.floor(at / 1_000);
  const v1 = createHmac('sha256', secret).update(`${t}.${body}`).digest('hex');
  return { body, headers: { ...json, 'stripe-signature': `t=${t},v1=${v1}` } };
}

type Item = Record<string, unknown> & { amount: { value: number; currency: string } };

/** Signed as Adyen signs: each notification by itself. */
export function byAdyen(secret: string, ...items: Item[]): Sent {
  const signed = items.map(item => {
    const of = (name: string) => String(item[name] ?? '');
    const text = [
      of('pspReference'),
      of('originalReference'),
      of('merchantAccountCode'),
      of('merchantReference'),
      item.amount.value,
      item.amount.currency,
      of('eventCode'),
      of('success'),
    ].join(':');
    const hmacSignature = createHmac('sha256', Buffer.from(secret, 'hex')).update(text).digest('base64');
    const more = item['additionalData'] as Record<string, unknown> | undefined;
    return { NotificationRequestItem: { ...item, additionalData: { ...more, hmacSignature } } };
  });
  // Adyen authenticates itself too: that is a secret of the receiver's.
  const headers = { ...json, authorization: 'Basic YWR5ZW46c2VjcmV0' };
  return { body: JSON.stringify({ live: 'false', notificationItems: signed }), headers };
}

/** A notification of Adyen's; its members as docs.adyen.com describes them. */
export const adyenItem = (members: Record<string, unknown> = {}): Item => ({
  pspReference: '7914073381342284',
  merchantAccountCode: 'AcmeECOM',
  merchantReference: 'order:1',
  eventCode: 'AUTHORISATION',
  eventDate: new Date(Date.now() - 1_000).toISOString().replace(/\.\d+Z/, '+00:00'),
  success: 'true',
  paymentMethod: 'visa',
  reason: '',
  operations: ['CANCEL', 'CAPTURE', 'REFUND'],
  amount: { value: 1130, currency: 'EUR' },
  additionalData: { 'metadata.agent_id': 'buyer-1', 'metadata.owner_id': 'team-1' },
  ...members,
});

/** Signed as Coinbase signs (docs.cdp.coinbase.com, "Verify signatures"): `v0` over time and body, `v1` over some headers too. */
export function byCdp(secret: string, event: unknown, at = Date.now()): Sent {
  const body = JSON.stringify(event);
  const t = Math.floor(at / 1_000);
  const sign = (text: string) => createHmac('sha256', secret).update(text).digest('hex');
  const names = 'content-type x-event-id';
  const v1 = sign(`${t}.${names}.application/json.0b7a.${body}`);
  const signature = `t=${t},v0=${sign(`${t}.${body}`)},h=${names},v1=${v1}`;
  return { body, headers: { ...json, 'x-event-id': '0b7a', 'x-hook0-signature': signature } };
}

/** Signed in a way that `psp_config` describes: hexadecimal HMAC-SHA256 of the body. */
export function byAcme(secret: string, given: unknown, header = 'x-acme-signature'): Sent {
  const body = typeof given === 'string' ? given : JSON.stringify(given);
  return { body, headers: { [header]: createHmac('sha256', secret).update(body).digest('hex') } };
}

let events = 0;

/** An event of Stripe's about this object (docs.stripe.com/api/events/object). */
export const stripeEvent = (type: string, object: object, more: Record<string, unknown> = {}) => ({
  id: `evt_1NG8Du2eZvKYlo2CUI7${String((events += 1)).padStart(5, '0')}`,
  object: 'event',
  api_version: '2025-06-30.basil',
  created: Math.floor(Date.now() / 1_000) - 1,
  data: { object },
  livemode: false,
  pending_webhooks: 1,
  request: { id: null, idempotency_key: null },
  type,
  ...more,
});

const metadata = { agent_id: 'buyer-1', owner_id: 'team-1' };

/** Objects of Stripe's, with the members that say something of the payment. */
export const stripe = {
  intent: (more: object = {}) => ({
    id: 'pi_3MtwBwLkdIwHu7ix28a3tqPa',
    object: 'payment_intent',
    amount: 2_000,
    amount_capturable: 0,
    amount_received: 2_000,
    currency: 'usd',
    last_payment_error: null,
    latest_charge: 'ch_3MtwBwLkdIwHu7ix0snN0B15',
    metadata,
    payment_method_types: ['card', 'link'],
    status: 'succeeded',
    ...more,
  }),
  charge: (more: object = {}) => ({
    id: 'ch_3MtwBwLkdIwHu7ix0snN0B15',
    object: 'charge',
    amount: 2_000,
    amount_captured: 2_000,
    amount_refunded: 0,
    captured: true,
    currency: 'usd',
    failure_code: null,
    failure_message: null,
    metadata,
    payment_intent: 'pi_3MtwBwLkdIwHu7ix28a3tqPa',
    payment_method_details: { card: { brand: 'visa', last4: '4242' }, type: 'card' },
    refunded: false,
    status: 'succeeded',
    ...more,
  }),
  refund: (more: object = {}) => ({
    id: 're_1Nispe2eZvKYlo2Cd31jOCgZ',
    object: 'refund',
    amount: 500,
    charge: 'ch_3MtwBwLkdIwHu7ix0snN0B15',
    created: Math.floor(Date.now() / 1_000) - 2,
    currency: 'usd',
    metadata,
    payment_intent: 'pi_3MtwBwLkdIwHu7ix28a3tqPa',
    status: 'succeeded',
    ...more,
  }),
  dispute: (more: object = {}) => ({
    id: 'du_1MtJUT2eZvKYlo2CNaw2HvEv',
    object: 'dispute',
    amount: 2_000,
    charge: 'ch_3MtwBwLkdIwHu7ix0snN0B15',
    currency: 'usd',
    metadata: {},
    payment_intent: 'pi_3MtwBwLkdIwHu7ix28a3tqPa',
    reason: 'fraudulent',
    status: 'needs_response',
    ...more,
  }),
  authorization: (more: object = {}) => ({
    id: 'iauth_1JVXl82eZvKYlo2CPIiWlzrn',
    object: 'issuing.authorization',
    amount: 382,
    approved: true,
    authorization_method: 'online',
    card: { id: 'ic_1JDmgz2eZvKYlo2CRXlTsXj6', object: 'issuing.card', last4: '3950', metadata },
    currency: 'usd',
    merchant_data: {
      category: 'computer_software_stores',
      category_code: '5734',
      city: 'SAN FRANCISCO',
      country: 'US',
      name: 'STRIPE',
      network_id: '1234567890',
      postal_code: '94103',
      state: 'CA',
    },
    metadata: {},
    pending_request: null,
    request_history: [],
    status: 'pending',
    ...more,
  }),
  transaction: (more: object = {}) => ({
    id: 'ipi_1MzFN1K8F4fqH0lBmFq8CjbU',
    object: 'issuing.transaction',
    amount: -382,
    authorization: 'iauth_1JVXl82eZvKYlo2CPIiWlzrn',
    card: 'ic_1JDmgz2eZvKYlo2CRXlTsXj6',
    currency: 'usd',
    merchant_data: { category_code: '5734', country: 'US', name: 'STRIPE', network_id: '1234567890' },
    metadata,
    type: 'capture',
    ...more,
  }),
};
