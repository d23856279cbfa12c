import { isPaid, type Payment } from '#shared/events/log/payment.ts';
import { formatUsdMicro } from '#shared/values/money.ts';
import { formatDuration, SECOND } from '#shared/values/time.ts';
import { countPayments } from './counted.ts';
import type { Finding } from './detector.ts';
import { isGivenBack } from './repeats.ts';
import { areOneInvoice, areParts, type Purpose } from './purpose.ts';

/** Two amounts for one invoice differ at most by one part in this: by a fee, an exchange rate, a discount, a digit. */
const NEAR = 20;

/** Whether two sums, in micro-USD, are near each other and not equal. For statistics: they are rounded where they exceed 9 billion dollars. */
export const isNear = (a: number, b: number): boolean => {
  const [low, high] = a < b ? [a, b] : [b, a];
  return low > 0 && low < high && (high - low) * NEAR <= high;
};

/**
 * The finding that an invoice was paid twice with nearly the same amount; null unless exactly one other payment names it: what names it
 * more often is a customer's number, or is paid in parts. `around` are the agent's payments within `same_invoice_window_s` seconds, of which
 * `mayBe` says which one may be it.
 */
export function paidNearly(
  payment: Payment,
  around: readonly Payment[],
  purposeOf: (payment: Payment) => Purpose,
  { same_invoice_window_s }: { same_invoice_window_s: number },
  mayBe: (other: Payment) => boolean = () => true,
): Finding | null {
  const own = purposeOf(payment);
  const { invoice, part } = own;
  if (invoice === null) return null;
  const isForIt = (other: Payment) => {
    const theirs = purposeOf(other);
    return other !== payment && theirs.invoice !== null && areOneInvoice(invoice, theirs.invoice);
  };
  const [other, ...more] = around.filter(each => each.payee_id === payment.payee_id && isForIt(each));
  if (!other || more.length > 0 || !mayBe(other) || !isPaid(other) || isGivenBack(other)) return null;
  const theirs = purposeOf(other);
  if (part !== theirs.part || areParts(own, theirs) || !isNear(Number(payment.paid_micro), Number(other.paid_micro)))
    return null;
  const copies = [other, payment].toSorted((a, b) => (a.paid_at ?? 0) - (b.paid_at ?? 0));
  const [price, earlier] = [formatUsdMicro(payment.paid_micro), formatUsdMicro(other.paid_micro)];
  const gap = Math.abs((payment.paid_at ?? 0) - (other.paid_at ?? 0));
  return {
    score: 60,
    title: `Paid {payee} ${price}, and ${earlier} for the same invoice`,
    explanation:
      `Two payments to {payee}, ${price} (${payment.payment_id}) and ${earlier} (${other.payment_id}), ` +
      `${formatDuration(Math.max(SECOND, gap))} apart, name the same invoice${theirs.invoice === invoice ? '' : ' or nearly so'}. ` +
      'A fee, a discount or an exchange rate can make one amount look like two. Two payments for one invoice are alerted on when their amounts ' +
      `differ by at most ${100 / NEAR}%, they are at most ${formatDuration(same_invoice_window_s * SECOND)} apart, and no third one names it.`,
    price,
    subject: payment.payee_id,
    ...countPayments(copies),
  };
}
