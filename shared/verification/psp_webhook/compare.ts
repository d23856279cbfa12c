import type { ReportedEvent } from '#shared/events/log/reported_event.ts';
import type { Checklist } from '#shared/verification/checklist.ts';
import type { PspStatement } from './statement.ts';

const CODE = 'payload_mismatch';

/**
 * Compares a payment service's statement with the event. What the statement leaves out is skipped; if it names neither the payment nor its
 * amount, nothing was compared and the check stays open.
 */
export function compareStatement(said: PspStatement, event: ReportedEvent, list: Checklist): void {
  const id_result = compareId(said, event, list);
  const priced = compareAmount(said, event, list);
  compareType(said, event, list);
  compareMerchant(said, event, list);
  // Real money in the sandbox is allowed: people try out the service with what they have.
  if (event.environment === 'production' && said.live === false)
    list.fail('environment', CODE, 'a test payment in production');
  if (!id_result && !priced)
    list.open('payload', 'payload_not_understood', 'the body says neither which payment nor which amount');
}

/** Whether the statement names the payment, rightly or wrongly. */
function compareId({ references, mentions }: PspStatement, { payment_id }: ReportedEvent, list: Checklist): boolean {
  if (references.includes(payment_id) || mentions.includes(payment_id)) return list.pass('payment_id', payment_id);
  const other = references.find(reference => isOfSameKind(reference, payment_id));
  if (other === undefined) {
    list.skip('payment_id', 'the body has no id of this kind');
    return false;
  }
  list.fail('payment_id', CODE, `the body names ${other}, the event ${payment_id}`);
  return true;
}

/** Ids are compared only with ids of the same kind: `pi_…` and `pi_…`, or 16 characters like Adyen's. */
function isOfSameKind(one: string, other: string): boolean {
  const [prefix] = /^[A-Za-z]+[_-]/.exec(one) ?? [];
  return prefix ? other.startsWith(prefix) : pspReference.test(one) && pspReference.test(other);
}

const pspReference = /^[A-Z0-9]{16}$/;

/** Whether there were two amounts to compare. */
function compareAmount(said: PspStatement, { amount }: ReportedEvent, list: Checklist): boolean {
  const { amounts, partial, currency } = said;
  if (amounts.length === 0) list.skip('amount', 'the body says no amount');
  if (amount.currency === null) {
    const detail = `the body says ${currency ?? 'an amount'}, the event is in ${amount.denomination}`;
    return amounts.length > 0 && list.open('amount', 'amount_not_comparable', detail);
  }
  if (currency === null) list.skip('currency', 'the body says no currency');
  else
    list.check(
      'currency',
      currency === amount.currency,
      CODE,
      `the body says ${currency}, the event ${amount.currency}`,
    );
  if (amounts.length === 0) return false;
  const fits = amounts.some(value => value !== null && (value === amount.value || (partial && value < amount.value)));
  const written = amounts.map(value => value ?? 'no whole number of minor units').join(' or ');
  list.check('amount', fits, CODE, `the body says ${written}, the event ${amount.value}`);
  return true;
}

function compareType({ types }: PspStatement, { type }: ReportedEvent, list: Checklist): void {
  if (types === null) return list.skip('status', 'the body says nothing of the state of the payment');
  list.check(
    'status',
    types.includes(type),
    CODE,
    `the body bears out ${types.join(' or ') || 'no payment'}, not ${type}`,
  );
}

function compareMerchant({ merchants }: PspStatement, { payee }: ReportedEvent, list: Checklist): void {
  const id = /^merchant:[^:]+:(.+)$/.exec(payee.key)?.[1];
  if (id === undefined) return list.skip('merchant', 'the payee is not a merchant of the service');
  if (merchants.length === 0) return list.skip('merchant', 'the body does not say who is paid');
  list.check('merchant', merchants.includes(id), CODE, `the body says ${merchants.join(', ')}, the event ${id}`);
}
