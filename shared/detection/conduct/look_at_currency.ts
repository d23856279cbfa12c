import type { Context } from '#shared/detection/model/detector.ts';
import { currencyPaid } from '#shared/detection/model/payers.ts';
import { expectedOfNewCurrency } from '#shared/detection/model/spreads.ts';
import { counts, type DetectionEvent, isPaid } from '#shared/events/log/payment.ts';
import type { Eyes, Look, RecordAround } from './look.ts';
import { amountOutlier } from './look_at_stretches.ts';
import { tellCurrency } from './words_of_payees.ts';

/** So many payments show in which currency a payee is paid. */
const LEAST_PAID = 3;

/**
 * The currency in which an agent has always paid the payee, where it now begins a payment in another; null otherwise. What is authorized in one
 * currency and settled in another is one payment.
 */
export function usualCurrency(
  { agent_id, payee_id, currency, type }: DetectionEvent,
  { former, payment, payee, history }: Pick<Context, 'former' | 'payment' | 'payee' | 'history'>,
): { usual: string; before: number } | null {
  if (currency === null || !counts(type) || !isPaid(payment) || (former && isPaid(former))) return null;
  const usual = currencyPaid(payee.payers, agent_id);
  if (usual === null || usual === currency) return null;
  const before = history.paid.filter(other => other.payee_id === payee_id && other !== payment && isPaid(other)).length;
  return before < LEAST_PAID ? null : { usual, before };
}

/**
 * How often an agent pays a payee that it knows in another currency than ever before: 6,800 pesos become 6,800 dollars, or an invoice in pounds is paid
 * in euros.
 */
export function lookAtCurrency(
  event: DetectionEvent,
  context: Context,
  { own, past, span }: RecordAround,
  { asks, spreads }: Eyes,
): Look[] {
  const { currency } = event;
  const known = own.usd < asks.amount_usd ? null : usualCurrency(event, context);
  if (!known || currency === null) return [];
  const tell = () => tellCurrency(own, currency, known.usual, known.before);
  const expected = expectedOfNewCurrency(spreads);
  return [{ ...amountOutlier, group: 'novelty', expected, per_month: (past.length + 1) / span, tell }];
}
