import type { Rail } from '#shared/values/event_types.ts';
import { isCountry } from '#shared/values/countries.ts';
import { asRecord, type JsonObject, textOf } from '#shared/verification/json.ts';
import type { PspStatement } from '#shared/verification/psp_webhook/statement.ts';
import { captureNotice } from './captures.ts';
import { type NoticeFacts, oneLineOf, withoutMissing } from './facts.ts';
import type { RefundNotice } from './refunds.ts';

/**
 * The contents of Stripe's events beyond those for verification (docs.stripe.com/api/events/types): of PaymentIntents, charges, refunds and
 * disputes, in which we are paid, and of issued cards, with which we pay.
 */
export function stripeFacts(body: JsonObject, said: PspStatement): Partial<NoticeFacts> {
  const data = asRecord(body['data']);
  const object = asRecord(data?.['object']) ?? body;
  const kind = textOf(object, 'object') ?? '';
  const refund = refundOf(object, said);
  return withoutMissing({
    notice:
      disputeOf(object) ??
      (refund && `stripe refund ${refund.charge_id} ${refund.amount} ${refundTime(object, said)}`) ??
      (said.notice && `stripe ${said.notice}`),
    refund,
    status:
      kind === 'charge' && object['refunded'] === false && isRefund(said) ? ('partially_refunded' as const) : null,
    payment_id: paymentId(object, kind),
    capture: captureOf(object, kind),
    ...parties(object),
    payee: kind.startsWith('issuing.') ? seller(object) : { key: `merchant:stripe:${said.merchants[0] ?? 'self'}` },
    category: textOf(asRecord(object['merchant_data']) ?? {}, 'category_code'),
    rail: kind.startsWith('issuing.') ? ('card' as const) : railOf(object),
    failure: failureOf(object),
    occurred_at: refundTime(object, said),
  });
}

const isRefund = ({ types }: PspStatement) => types?.[0] === 'payment.refunded';

/** The id in a member, expanded or not. */
const idAt = (object: JsonObject, name: string): string | null =>
  textOf(object, name) ?? textOf(asRecord(object[name]) ?? {}, 'id');

function paymentId(object: JsonObject, kind: string): string | null {
  const own = textOf(object, 'id');
  switch (kind) {
    case 'issuing.transaction':
      return idAt(object, 'authorization') ?? own;
    case 'payment_intent':
    case 'issuing.authorization':
      return own;
    case 'charge':
      return idAt(object, 'payment_intent') ?? own;
    case 'refund':
    case 'dispute':
      return idAt(object, 'payment_intent') ?? idAt(object, 'charge');
    // Their payment has events of its own; without its id they would count as another.
    default:
      return idAt(object, 'payment_intent');
  }
}

/** A purchase with an issued card is captured by transactions of their own, one for each parcel of an order. */
const captureOf = (object: JsonObject, kind: string): NoticeFacts['capture'] | null =>
  kind === 'issuing.transaction' ? captureNotice(idAt(object, 'authorization'), textOf(object, 'id')) : null;

/** No id of Stripe's is longer. */
const LONGEST_ID = 255;

/**
 * A refund is reported twice, as `charge.refunded` with the charge's total refunded so far, and as `refund.created` with its id, and again
 * with each change.
 */
function refundOf(object: JsonObject, said: PspStatement): RefundNotice | null {
  const isCharge = object['object'] === 'charge';
  const charge_id = isCharge ? textOf(object, 'id') : (idAt(object, 'charge') ?? idAt(object, 'payment_intent'));
  const [amount, up_to = amount] = said.amounts;
  const name = isCharge ? String(up_to) : textOf(object, 'id');
  const isOne = isRefund(said) && (isCharge || object['object'] === 'refund');
  if (!isOne || !charge_id || !name || typeof amount !== 'bigint' || typeof up_to !== 'bigint') return null;
  if (charge_id.length > LONGEST_ID || name.length > LONGEST_ID) return null;
  return { charge_id, name, amount: String(amount), up_to: isCharge ? String(up_to) : null };
}

/** A dispute is reported when created, and with each step of it: it is one. */
function disputeOf(object: JsonObject): string | null {
  const id = object['object'] === 'dispute' ? textOf(object, 'id') : null;
  return id && `stripe dispute ${id}`;
}

/** The time of the refund itself: later notices about it have their own time. */
function refundTime(object: JsonObject, said: PspStatement): number | null {
  const kind = object['object'];
  if (!isRefund(said) || (kind !== 'refund' && kind !== 'charge')) return null;
  const refunds = asRecord(object['refunds'])?.['data'];
  const refund = kind === 'refund' ? object : Array.isArray(refunds) ? asRecord(refunds[0]) : null;
  const created = refund?.['created'];
  return typeof created === 'number' && Number.isSafeInteger(created) && created > 0 && created < 1e11
    ? created * 1_000
    : said.happened_at;
}

/** The holder of the card, if the payment itself does not say who pays. */
function parties(object: JsonObject): { agent: string | null; owner: string | null } {
  const card = asRecord(object['card']) ?? {};
  const metadata = [object, card, asRecord(card['cardholder']) ?? {}].map(each => asRecord(each['metadata']) ?? {});
  const first = (name: string) => metadata.map(each => oneLineOf(each[name], 200)).find(id => id !== null) ?? null;
  return { agent: first('agent_id'), owner: first('owner_id') };
}

/** The payee of a payment with an issued card. */
function seller(object: JsonObject): NoticeFacts['payee'] | null {
  const merchant = asRecord(object['merchant_data']) ?? {};
  const id = textOf(merchant, 'network_id')?.trim();
  const country = textOf(merchant, 'country');
  if (!id) return null;
  return {
    key: `merchant:stripe:${id}`,
    name: oneLineOf(merchant['name'], 200) ?? undefined,
    country: country !== null && isCountry(country) ? country : undefined,
  };
}

const rails: ReadonlyMap<string, Rail> = new Map<string, Rail>([
  ['card', 'card'],
  ['card_present', 'card'],
  ['us_bank_account', 'ach'],
  ['ach_debit', 'ach'],
  ['ach_credit_transfer', 'ach'],
  ['sepa_debit', 'sepa'],
  ['bacs_debit', 'other'],
  ['pix', 'pix'],
  ['upi', 'upi'],
  ['crypto', 'stablecoin'],
  ['link', 'wallet'],
  ['paypal', 'wallet'],
  ['alipay', 'wallet'],
  ['wechat_pay', 'wallet'],
  ['cashapp', 'wallet'],
]);

/** The rail of the method used, else of the first allowed one; card by default. */
function railOf(object: JsonObject): Rail {
  const used = textOf(asRecord(object['payment_method_details']) ?? {}, 'type');
  const allowed = object['payment_method_types'];
  const method = used ?? (Array.isArray(allowed) ? allowed[0] : null);
  return typeof method === 'string' ? (rails.get(method) ?? 'other') : 'card';
}

function failureOf(object: JsonObject): NoticeFacts['failure'] | null {
  const error = asRecord(object['last_payment_error']);
  const attempts = object['request_history'];
  const attempt = Array.isArray(attempts) ? asRecord(attempts.at(-1)) : null;
  const code = oneLineOf(error?.['code'] ?? object['failure_code'] ?? attempt?.['reason'], 100);
  const message = oneLineOf(error?.['message'] ?? object['failure_message'], 1_000);
  return code === null && message === null ? null : withoutMissing({ code, message });
}
