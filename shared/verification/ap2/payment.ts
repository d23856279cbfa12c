import type { ReportedEvent } from '#shared/events/log/reported_event.ts';
import { type CurrencyAmount, checkAmount, readAmount } from './amounts.ts';
import { INVALID_MANDATE, MANDATE_SCOPE_MISMATCH, UNRESOLVED_CONSTRAINT } from './codes.ts';
import type { Delegated } from './content.ts';
import { checkPayee, isPaidAs, type Merchant, readMerchant } from './merchants.ts';
import type { Checklist } from '#shared/verification/checklist.ts';
import { isObject, type JsonObject, quoted, textOf } from '#shared/verification/json.ts';

/** A closed payment mandate (AP2 v0.2, payment_mandate.json). */
export type ClosedPayment = {
  claims: JsonObject;
  transaction_id: string;
  payee: Merchant;
  amount: CurrencyAmount;
  instrument_id: string;
};

/** Reads the required members of a closed mandate; null when one is missing or malformed, which is recorded. */
export function readClosedPayment(list: Checklist, { mandate: claims }: Delegated): ClosedPayment | null {
  const { payment_instrument } = claims;
  const transaction_id = textOf(claims, 'transaction_id');
  const payee = readMerchant(claims['payee']);
  const amount = readAmount(claims['payment_amount']);
  const instrument_id = isObject(payment_instrument) ? textOf(payment_instrument, 'id') : null;
  const missing = Object.entries({ transaction_id, payee, payment_amount: amount, payment_instrument: instrument_id })
    .filter(([, value]) => value === null)
    .map(([name]) => name);
  if (!transaction_id || !payee || !amount || !instrument_id) {
    list.fail('closed_mandate', INVALID_MANDATE, `Missing or malformed: ${missing.join(', ')}`);
    return null;
  }
  list.pass('closed_mandate');
  return { claims, transaction_id, payee, amount, instrument_id };
}

/** The fields that an open mandate may fix (open_payment_mandate.json). */
const fixable = ['transaction_id', 'payee', 'payment_amount', 'payment_instrument', 'pisp', 'execution_date'];

/** Checks that the closed mandate keeps what the open one fixed; it may add to it. */
export function checkFixedFields(
  list: Checklist,
  { mandate: open }: Delegated,
  { claims, payee: merchant }: ClosedPayment,
  { payee }: ReportedEvent,
): void {
  for (const name of fixable) {
    const fixed = open[name];
    if (fixed === undefined) continue;
    const detail = `The open mandate fixes ${quoted(fixed)}, the closed one says ${quoted(claims[name])}`;
    list.check(`fixed_${name}`, keeps(claims[name], fixed), INVALID_MANDATE, detail);
  }
  const fixed = readMerchant(open['payee']);
  if (fixed && keeps(claims['payee'], open['payee']) && !isPaidAs(fixed, merchant, payee))
    list.open(
      'payee_as_fixed',
      UNRESOLVED_CONSTRAINT,
      'Only the agent says that who was paid is the one that is fixed',
    );
}

/** Whether `value` has all of `fixed`, unchanged. */
function keeps(value: unknown, fixed: unknown): boolean {
  if (isObject(fixed))
    return (
      isObject(value) && Object.keys(fixed).every(name => Object.hasOwn(value, name) && keeps(value[name], fixed[name]))
    );
  if (Array.isArray(fixed))
    return (
      Array.isArray(value) && value.length === fixed.length && fixed.every((item, index) => keeps(value[index], item))
    );
  return value === fixed;
}

/** Checks that the event reports what the closed mandate authorizes. */
export function checkPayment(list: Checklist, closed: ClosedPayment, event: ReportedEvent): void {
  checkAmount(list, closed.amount, event);
  checkPayee(list, closed.payee, event);
  const used = event.instrument?.id;
  if (!used) {
    list.skip('instrument', 'The event does not name the instrument');
    return;
  }
  const detail = `The mandate is for ${quoted(closed.instrument_id)}, the event says ${quoted(used)}`;
  list.check('instrument', closed.instrument_id === used, MANDATE_SCOPE_MISMATCH, detail);
}
