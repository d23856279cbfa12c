import type { EventType } from '#shared/values/event_types.ts';
import { asRecord, textOf } from '#shared/verification/json.ts';
import {
  currencyCode,
  fromDecimal,
  isoMinor,
  type Psp,
  wholeNumber,
} from '#shared/verification/psp_webhook/psp_amount.ts';
import type { PspStatement } from '#shared/verification/psp_webhook/statement.ts';
import { metadataValues, timeMember } from './members.ts';

/**
 * What a webhook of any service says, by the names that most use, in the body or in what it wraps (`data`, `data.object`, `payload`,
 * `resource`, …). Whole numbers are minor units, decimal texts whole units of the currency.
 */
export function readCommon(body: Record<string, unknown>, psp: Psp): PspStatement {
  const objects = wrapped(body);
  const all = (names: readonly string[]) =>
    objects.flatMap(object => names.flatMap(name => textOf(object, name) ?? []));
  const priced = objects.find(object => amountMember(object) !== undefined) ?? {};
  const amount = amountMember(priced);
  const currency = currencyCode(
    currencyMembers.map(name => asRecord(amount)?.[name] ?? priced[name]).find(currencyCode),
  );
  const nested = valueMembers.map(name => asRecord(amount)?.[name]).find(value => value !== undefined);
  const value = asRecord(amount) ? nested : amount;
  return {
    notice: textOf(body, 'id') ?? textOf(body, 'event_id'),
    happened_at: timeMember(body, 'timestamp'),
    references: all(referenceMembers),
    mentions: objects.flatMap(metadataValues),
    amounts: value === undefined ? [] : [minorUnits(psp, value, currency ?? '')],
    partial: false,
    currency,
    types:
      typesOf(all(typeMembers), clear) ?? typesOf(all(statusMembers), meanings) ?? typesOf(all(typeMembers), meanings),
    merchants: [
      ...all(merchantMembers),
      ...objects.flatMap(object => textOf(asRecord(object['merchant']) ?? {}, 'id') ?? []),
    ],
    live: null,
  };
}

const wrapperMembers = ['data', 'payload', 'resource', 'payment', 'transaction', 'object', 'attributes'];

/** The body and what is wrapped in it, two layers deep. */
function wrapped(body: Record<string, unknown>): Record<string, unknown>[] {
  const inside = (object: Record<string, unknown>) =>
    wrapperMembers.map(name => asRecord(object[name])).filter(inner => inner !== null);
  const first = inside(body);
  return [body, ...first, ...first.flatMap(inside)];
}

const referenceMembers = [
  'id',
  'payment_id',
  'paymentId',
  'payment',
  'payment_intent',
  'transaction_id',
  'transactionId',
  'reference',
  'reference_id',
  'merchant_reference',
  'merchantReference',
  'client_reference_id',
  'order_id',
  'orderId',
  'external_id',
  'externalId',
  'custom_id',
  'invoice_id',
];
const merchantMembers = ['merchant', 'merchant_id', 'merchantId', 'merchant_account', 'merchantAccount'];
const amountMembers = ['amount', 'amount_minor', 'amount_cents', 'amount_money', 'total', 'total_amount'];
const valueMembers = ['value', 'amount', 'total', 'minor'];
const currencyMembers = ['currency', 'currency_code', 'currencyCode'];

const amountMember = (object: Record<string, unknown>): unknown =>
  amountMembers.map(name => object[name]).find(value => value !== undefined && value !== null);

function minorUnits(psp: Psp, value: unknown, currency: string): bigint | null {
  if (wholeNumber(value) !== null) return isoMinor(psp, value, currency);
  const text = typeof value === 'number' ? String(value) : value;
  return typeof text === 'string' && /^[0-9]{1,30}\.[0-9]{1,18}$/.test(text) ? fromDecimal(text, currency) : null;
}

const typeMembers = ['type', 'event', 'event_type', 'eventType'];
const statusMembers = ['status', 'state'];

type Meaning = { stems: readonly string[]; types: readonly EventType[] };

/** By the words of a name such as `payment.refund.created`, `PAYMENT_CAPTURED` or `paymentFailed`. The first that fits counts. */
function typesOf(names: readonly string[], meanings: readonly Meaning[]): readonly EventType[] | null {
  for (const name of names) {
    const spaced = name.slice(0, 200).replaceAll(/([a-z])([A-Z])/g, '$1 $2');
    const words = spaced.toLowerCase().split(/[^a-z]+/);
    const meaning = meanings.find(({ stems }) => words.some(word => stems.some(stem => word.startsWith(stem))));
    if (meaning) return meaning.types;
  }
  return null;
}

const clear: readonly Meaning[] = [
  { stems: ['fail', 'declin', 'reject', 'error', 'refus'], types: ['payment.failed'] },
  { stems: ['refund'], types: ['payment.refunded'] },
  { stems: ['revers'], types: ['payment.refunded', 'payment.canceled'] },
  { stems: ['disput', 'chargeback'], types: ['payment.disputed'] },
  { stems: ['cancel', 'void', 'expire'], types: ['payment.canceled'] },
  {
    stems: ['settle', 'captur', 'succe', 'paid', 'complete', 'processed'],
    types: ['payment.settled', 'payment.authorized'],
  },
  { stems: ['authori', 'approv'], types: ['payment.authorized'] },
];

/** That something was created says little of what it has become: a status beside it says more. */
const meanings: readonly Meaning[] = [
  ...clear,
  {
    stems: ['creat', 'pending', 'request', 'processing', 'initiat'],
    types: ['payment.requested', 'payment.authorized'],
  },
];
