import type { ReportedEvent } from '#shared/events/log/reported_event.ts';
import { type CurrencyAmount, checkAmount, isMinorUnits, minorUnits } from './amounts.ts';
import { INVALID_MANDATE, MANDATE_SCOPE_MISMATCH, UNRESOLVED_CONSTRAINT } from './codes.ts';
import type { Delegated } from './content.ts';
import { isQuantity, type LineItem, judgeLineItems } from './line_items.ts';
import { checkPayee, judgeAllowed, type Merchant, readMerchant } from './merchants.ts';
import { type Judgment, onlyClaimed, unresolved } from './payment_constraints.ts';
import type { Checklist } from '#shared/verification/checklist.ts';
import { isObject, type JsonObject, quoted, textOf } from '#shared/verification/json.ts';
import { parseJwt } from '#shared/verification/jose/jws.ts';

/** The readable contents of a checkout, which the merchant defines (UCP: checkout.json). */
type Checkout = { merchant: Merchant | null; total: CurrencyAmount | null; items: LineItem[] | null };

/** Reads a closed checkout mandate: its `checkout_jwt` must match `checkout_hash`. Null when there is none. */
export function readClosedCheckout(list: Checklist, { mandate, hop }: Delegated): Checkout | null {
  const checkout_jwt = textOf(mandate, 'checkout_jwt');
  if (!checkout_jwt && hop.withheld.has(mandate)) {
    list.open('checkout_hash', UNRESOLVED_CONSTRAINT, 'The checkout was not disclosed');
    return null;
  }
  if (!checkout_jwt) {
    list.fail('closed_mandate', INVALID_MANDATE, 'Missing or malformed: checkout_jwt');
    return null;
  }
  const detail = 'checkout_hash is not the hash of the checkout';
  list.check('checkout_hash', mandate['checkout_hash'] === hop.digest(checkout_jwt), MANDATE_SCOPE_MISMATCH, detail);
  // The agent signed the hash of this checkout; whether the merchant offered it is for the merchant to say.
  list.skip('merchant_signature', 'The signature of the merchant on the checkout is not judged');
  return readCheckout(checkout_jwt);
}

function readCheckout(checkout_jwt: string): Checkout {
  const jwt = parseJwt(checkout_jwt);
  const claims = jwt.ok ? jwt.value.claims : {};
  return {
    merchant: readMerchant(claims['merchant']),
    total: readTotal(claims),
    items: readItems(claims['line_items']),
  };
}

/** The `total` of UCP's totals, in minor units; otherwise `total_price`, in whole units, as in AP2's samples. */
function readTotal(claims: JsonObject): CurrencyAmount | null {
  const { totals, total_price } = claims;
  const currency = textOf(claims, 'currency');
  if (!currency) return null;
  const total = Array.isArray(totals) ? totals.filter(isObject).filter(({ type }) => type === 'total') : [];
  if (total.length === 1) {
    const amount = total[0]?.['amount'];
    return isMinorUnits(amount) ? { value: BigInt(amount), currency } : null;
  }
  const value = typeof total_price === 'number' ? minorUnits(String(total_price), currency) : null;
  return value === null ? null : { value, currency };
}

function readItems(line_items: unknown): LineItem[] | null {
  if (!Array.isArray(line_items)) return null;
  const items = line_items.flatMap(line => {
    const item: unknown = isObject(line) ? (line['item'] ?? line['product']) : null;
    const id = isObject(item) ? textOf(item, 'id') : null;
    return id && isObject(line) && isQuantity(line['quantity']) ? [{ id, quantity: line['quantity'] }] : [];
  });
  return items.length === line_items.length ? items : null;
}

/** Judges constraints on checkouts (AP2 v0.2, docs/ap2/checkout_mandate.md). */
export function judgeCheckout({ merchant, items }: Checkout, { payee }: ReportedEvent) {
  return (type: string, constraint: JsonObject): Judgment => {
    if (type === 'checkout.line_items') return judgeLineItems(constraint, items);
    if (type !== 'checkout.allowed_merchants') return unresolved(`The type ${quoted(type)} is not known`);
    const { allowed } = constraint;
    if (!Array.isArray(allowed)) return unresolved('It is malformed');
    if (!merchant) return unresolved('The merchant of the checkout cannot be read');
    const result = judgeAllowed(allowed.map(readMerchant), merchant, payee);
    const name = quoted(merchant.id ?? merchant.name);
    return { result, detail: result === 'broken' ? `${name} is not among the merchants` : onlyClaimed };
  };
}

/** Checks that the event reports the payment of this checkout. */
export function checkCheckout(list: Checklist, { merchant, total }: Checkout, event: ReportedEvent): void {
  if (total) checkAmount(list, total, event);
  else list.open('amount', 'amount_not_comparable', 'The total of the checkout cannot be read');
  if (merchant) checkPayee(list, merchant, event);
  else list.open('payee', 'payee_not_comparable', 'The merchant of the checkout cannot be read');
}
