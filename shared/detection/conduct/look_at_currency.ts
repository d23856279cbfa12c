import type { Context } from '#shared/detection/model/detector.ts';
import { currencyPaid, isWorthACurrency } from '#shared/detection/model/currencies_paid.ts';
import { expectedOfNewCurrency } from '#shared/detection/model/spreads.ts';
import { beginsSpending, type DetectionEvent } from '#shared/events/log/payment.ts';
import type { Eyes, Look, RecordAround } from './look.ts';
import { amountOutlier } from './look_at_stretches.ts';
import { tellCurrency } from './words_of_payees.ts';

/**
 * The currency in which an agent has always paid the payee, where it now begins a payment in another; null otherwise. What is authorized in one
 * currency and settled in another is one payment.
 */
export function usualCurrency(
  { agent_id, currency, type }: DetectionEvent,
  { former, payment, payee }: Pick<Context, 'former' | 'payment' | 'payee'>,
): string | null {
  if (currency === null || !isWorthACurrency(payment) || !beginsSpending(type, payment, former)) return null;
  const usual = currencyPaid(payee.currencies, agent_id);
  return usual === currency ? null : usual;
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
  const usual = own.usd < asks.amount_usd ? null : usualCurrency(event, context);
  if (usual === null || currency === null) return [];
  const tell = () => tellCurrency(own, currency, usual);
  const expected = expectedOfNewCurrency(spreads);
  return [{ ...amountOutlier, group: 'novelty', expected, per_month: (past.length + 1) / span, tell }];
}
