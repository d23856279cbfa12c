import { isPaid, type Payment } from '#shared/events/log/payment.ts';
import { formatUsdMicro } from '#shared/values/money.ts';
import { DAY, formatDuration, SECOND } from '#shared/values/time.ts';
import { countPayments } from './counted.ts';
import type { Finding } from './detector.ts';
import { differ } from './intents.ts';
import { gapOf, isAlike, isGivenBack } from './repeats.ts';

/** Less is charged for what is used. */
const LEAST_MICRO = 10_000_000n;
/** A month between two charges, with weekends and holidays; and so many charges before, a month apart each, that they are a subscription's. */
const [SHORTEST_MONTH, LONGEST_MONTH, LEAST_CHARGES] = [25 * DAY, 35 * DAY, 2];
/** What is charged so long after is charged twice; later it may be on a new day of the month. */
const TOO_SOON = 12 * DAY;

/**
 * The finding that a subscription was charged again within days: its payee got one sum a month apart each time and nothing else, and now gets it
 * again. `isOther`: whether a payment is known to be for something else, such as another seat.
 */
export function chargedAgain(
  payment: Payment,
  paid: readonly Payment[],
  isOther: (other: Payment) => boolean,
  { window_s }: { window_s: number },
): Finding | null {
  if (payment.paid_micro < LEAST_MICRO) return null;
  const charges = paid.filter(
    other => other !== payment && other.payee_id === payment.payee_id && isPaid(other) && !isGivenBack(other),
  );
  const last = charges.at(-1);
  if (!last || charges.length < LEAST_CHARGES || (last.paid_at ?? 0) > (payment.paid_at ?? 0)) return null;
  const gap = gapOf(last, payment);
  if (gap <= window_s * SECOND || gap > TOO_SOON) return null;
  const isMonthly = charges.every((charge, at) => {
    const before = charges[at - 1];
    return (
      isAlike(charge, payment) &&
      !isOther(charge) &&
      !differ(charge.resource_key, payment.resource_key) &&
      (!before || (gapOf(before, charge) >= SHORTEST_MONTH && gapOf(before, charge) <= LONGEST_MONTH))
    );
  });
  if (!isMonthly) return null;
  const price = formatUsdMicro(payment.paid_micro);
  return {
    score: 60,
    title: `Paid {payee} ${price} twice within a month`,
    explanation:
      `{payee} got ${price} again ${formatDuration(gap)} after the last time (${last.payment_id} and ${payment.payment_id}). Before, it got ${charges.length} payments of ${price}, ` +
      `about a month apart each, and nothing else. What is charged monthly is alerted on when it is charged again within ${formatDuration(TOO_SOON)}.`,
    price,
    subject: payment.payee_id,
    ...countPayments([last, payment]),
  };
}
