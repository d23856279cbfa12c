import type { Payment } from '#shared/events/log/payment.ts';
import { once } from '#shared/values/once.ts';
import { DAY } from '#shared/values/time.ts';
import { type Limits, othersOf, pairsOf } from './repeats.ts';

/** From so much on a sum that comes twice on a date matters, and it takes so many others to know that none does. */
const [LEAST_MICRO, LEAST_OTHERS] = [50_000_000n, 8];

/**
 * Whether all that is known of when this payment and another were paid is one date, so that nobody knows how soon one followed the other: both say
 * midnight (UTC), to the millisecond, as an export of dates does. Not of a sum that matters where nothing of half as much was paid twice on a date before.
 */
export function onOneDate(payment: Payment, paid: readonly Payment[], limits: Limits): (other: Payment) => boolean {
  const isTelling = once(() => {
    if (payment.paid_micro < LEAST_MICRO) return false;
    const others = othersOf(payment, paid, limits);
    return others.length >= LEAST_OTHERS && pairsOf(others).list.every(({ gap }) => gap > 0);
  });
  return ({ paid_at }) => paid_at === payment.paid_at && (paid_at ?? 1) % DAY === 0 && !isTelling();
}
