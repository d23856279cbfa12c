import { isMinorUnits } from './amounts.ts';
import { INVALID_MANDATE, UNRESOLVED_CONSTRAINT } from './codes.ts';
import { periodOf } from './dates.ts';
import { judgeAllowed, readMerchant } from './merchants.ts';
import type { ReportedEvent } from '#shared/events/log/reported_event.ts';
import type { ClosedPayment } from './payment.ts';
import type { Checklist } from '#shared/verification/checklist.ts';
import { isObject, type JsonObject, quoted, textOf } from '#shared/verification/json.ts';

/** The context of a constraint besides the closed mandate. Times are milliseconds since 1970. */
type ConstraintContext = {
  occurred_at: number;
  payee: ReportedEvent['payee'];
  /** The hashes of the reported open checkout mandates; null when there are none. */
  checkout_hashes: ReadonlySet<string> | null;
};

/** `left` is judged elsewhere: the history of a budget, or something not reported. */
export type Judgment = { result: 'met' | 'broken' | 'unresolved' | 'left'; detail: string };

type Judge = (constraint: JsonObject, closed: ClosedPayment, context: ConstraintContext) => Judgment;

const MOST_CONSTRAINTS = 100;

/** Checks the closed mandate against every constraint of an open one; unknown ones leave it open (AP2: unresolved). */
export function checkConstraints(
  list: Checklist,
  open: JsonObject,
  judge: (type: string, constraint: JsonObject) => Judgment,
): void {
  const { constraints } = open;
  if (!Array.isArray(constraints) || constraints.length > MOST_CONSTRAINTS) {
    list.fail(
      'constraints',
      INVALID_MANDATE,
      `An open mandate must have a list of at most ${MOST_CONSTRAINTS} constraints`,
    );
    return;
  }
  for (const constraint of constraints) {
    const type = isObject(constraint) ? textOf(constraint, 'type') : null;
    const name = type && /^[a-z_.]{1,60}$/.test(type) ? type : 'constraint';
    const judged = type ? judge(type, constraint as JsonObject) : unresolved('It has no type');
    if (judged.result === 'met') list.pass(name);
    if (judged.result === 'broken') list.fail(name, INVALID_MANDATE, judged.detail);
    if (judged.result === 'unresolved') list.open(name, UNRESOLVED_CONSTRAINT, judged.detail);
    if (judged.result === 'left') list.skip(name, judged.detail);
  }
}

/** Judges constraints on payments (AP2 v0.2, docs/ap2/payment_mandate.md). */
export function judgePayment(closed: ClosedPayment, context: ConstraintContext) {
  return (type: string, constraint: JsonObject): Judgment =>
    judges.get(type)?.(constraint, closed, context) ?? unresolved(`The type ${quoted(type)} is not known`);
}

export const unresolved = (detail: string): Judgment => ({ result: 'unresolved', detail });
export const judged = (met: boolean, detail: string): Judgment => ({ result: met ? 'met' : 'broken', detail });
const malformed = unresolved('It is malformed');

/** Why an allowed merchant may not be the paid one. */
export const onlyClaimed = 'Only the agent says that who was paid is the one that is allowed';

const leftToMandates: Judgment = { result: 'left', detail: 'Judged with earlier payments, against the mandate' };

const judges: ReadonlyMap<string, Judge> = new Map<string, Judge>([
  ['payment.amount_range', amountRange],
  ['payment.allowed_payees', allowedPayees],
  ['payment.allowed_payment_instruments', allowedInstruments],
  ['payment.allowed_pisps', allowedPisps],
  ['payment.execution_date', executionDate],
  ['payment.reference', reference],
  ['payment.budget', () => leftToMandates],
  ['payment.agent_recurrence', () => leftToMandates],
]);

/** In minor units, like `payment_amount` and unlike a budget, which is in whole ones. */
function amountRange({ min, max, currency }: JsonObject, { amount }: ClosedPayment): Judgment {
  if (!isMinorUnits(max) || !(min === undefined || isMinorUnits(min))) return malformed;
  const within = amount.value <= BigInt(max) && (min === undefined || amount.value >= BigInt(min));
  const range = `${min ?? 0} to ${max} ${quoted(currency)}`;
  return judged(within && currency === amount.currency, `${amount.value} ${amount.currency} is not within ${range}`);
}

/** Undisclosed entries allow nothing. */
function allowedPayees(
  { allowed }: JsonObject,
  { payee: merchant }: ClosedPayment,
  { payee }: ConstraintContext,
): Judgment {
  if (!Array.isArray(allowed)) return malformed;
  const result = judgeAllowed(allowed.map(readMerchant), merchant, payee);
  const name = quoted(merchant.id ?? merchant.name);
  return { result, detail: result === 'broken' ? `${name} is not among the payees` : onlyClaimed };
}

function allowedInstruments({ allowed }: JsonObject, { instrument_id }: ClosedPayment): Judgment {
  if (!Array.isArray(allowed)) return malformed;
  const met = allowed.some(item => isObject(item) && item['id'] === instrument_id);
  return judged(met, `${quoted(instrument_id)} is not among the instruments`);
}

const pispNames = ['legal_name', 'brand_name', 'domain_name'];

function allowedPisps({ allowed }: JsonObject, { claims: { pisp } }: ClosedPayment): Judgment {
  if (!Array.isArray(allowed)) return malformed;
  if (!isObject(pisp)) return judged(false, 'The closed mandate names no payment initiation service');
  const met = allowed.some(
    item => isObject(item) && pispNames.every(name => typeof item[name] === 'string' && item[name] === pisp[name]),
  );
  return judged(met, `${quoted(pisp['domain_name'])} is not among the payment initiation services`);
}

/** A payment without a date is executed at once. Both ends are inclusive. */
function executionDate(
  constraint: JsonObject,
  { claims }: ClosedPayment,
  { occurred_at }: ConstraintContext,
): Judgment {
  const { not_before, not_after } = constraint;
  const { execution_date } = claims;
  const executed = execution_date === undefined ? { from: occurred_at, until: occurred_at } : periodOf(execution_date);
  const earliest = not_before === undefined ? { from: -Infinity } : periodOf(not_before);
  const latest = not_after === undefined ? { until: Infinity } : periodOf(not_after);
  if (!executed || !earliest || !latest) return malformed;
  const met = executed.from >= earliest.from && executed.until <= latest.until;
  return judged(met, `It is not within ${quoted(not_before ?? 'any time')} to ${quoted(not_after ?? 'any time')}`);
}

function reference(
  { conditional_transaction_id }: JsonObject,
  _closed: ClosedPayment,
  { checkout_hashes }: ConstraintContext,
) {
  if (typeof conditional_transaction_id !== 'string') return malformed;
  const detail = 'The checkout mandate it refers to was not reported';
  if (!checkout_hashes) return { result: 'left', detail } as const;
  return judged(
    checkout_hashes.has(conditional_transaction_id),
    'The checkout mandate that was reported is another one',
  );
}
