import type { MandateVerdict, Verdict } from '#shared/assessment/verdict.ts';
import type { DetectionEvent } from '#shared/events/log/payment.ts';
import { MILLION, millionths } from './exact.ts';
import { microUsd } from './params.ts';
import type { ConstraintResult } from '#shared/mandates/evaluation.ts';

/** A limit for single payments, as an exact fraction of micro-USD: `of` ÷ `by`. `name` says what it is, after "the". */
export type PaymentLimit = { of: bigint; by: bigint; name: string };

/** The limits that a payment is held against: those of its mandates, and those given in US dollars. */
export const limitsOf = (
  event: DetectionEvent,
  { evaluations }: Verdict,
  amounts: readonly string[],
): PaymentLimit[] => [
  ...(evaluations ?? []).flatMap(evaluation => limitsOfMandate(event, evaluation)),
  ...amounts.map(text => ({ of: microUsd(text), by: 1n, name: 'limit set for this detector' })),
];

/** Whether an amount is below the limit, and by no more than `margin` of it. At the limit it is not below. */
export function isJustUnder(amount: bigint, { of, by }: PaymentLimit, margin: number): boolean {
  const scaled = amount * by;
  return scaled < of && scaled * MILLION >= of * (MILLION - millionths(margin));
}

/** The limit in micro-USD, rounded down. */
export const microOf = ({ of, by }: PaymentLimit): bigint => of / by;

function limitsOfMandate({ usd_micro }: DetectionEvent, { mandate, constraints }: MandateVerdict): PaymentLimit[] {
  if (usd_micro === null) return [];
  return constraints.flatMap(result => {
    const name = names.get(result.type);
    const fraction = name === undefined ? null : fractionOf(result);
    // The mandate's unit has as many micro-USD as the payment has for what was observed of it.
    return fraction
      ? [{ of: usd_micro * fraction.limit, by: fraction.observed, name: `${name} “${mandate.name}”` }]
      : [];
  });
}

const names = new Map([
  ['payment.amount_range', 'most that one payment may be under the mandate'],
  ['payment.approval_required', 'human approval threshold under the mandate'],
]);

/** What was observed and what is allowed, as whole numbers of one unit. Below its minimum a payment is told that instead of its maximum. */
function fractionOf({ observed, limit, code }: ConstraintResult): { observed: bigint; limit: bigint } | null {
  if (observed === null || limit === null || code === 'amount_below_min') return null;
  const places = Math.max(placesOf(observed), placesOf(limit));
  const scaled = { observed: wholeOf(observed, places), limit: wholeOf(limit, places) };
  return scaled.observed > 0n ? scaled : null;
}

const placesOf = (text: string) => text.split('.')[1]?.length ?? 0;

const wholeOf = (text: string, places: number): bigint => {
  const [whole = '0', fraction = ''] = text.split('.');
  return BigInt(whole + fraction.padEnd(places, '0'));
};
