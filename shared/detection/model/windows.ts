import { firstFrom } from './history.ts';
import type { Payment } from '#shared/events/log/payment.ts';

/**
 * The window of `length` milliseconds around `time` that holds the most payments, as a slice of `payments` (sorted by start).
 * Every window that contains `time` is looked at, so the order in which events arrive does not matter.
 */
export function densestWindow(payments: readonly Payment[], time: number, length: number): readonly Payment[] {
  let from = firstFrom(payments, time - length + 1);
  const end = firstFrom(payments, time + length);
  let to = firstFrom(payments, time + 1);
  let best = { from, to };
  for (let next = to; next < end; next += 1) {
    // The window now ends with payments[next]; it begins less than `length` before that, and no later than `time`.
    const start = (payments[next]?.started_at ?? 0) - length + 1;
    while (from < to && (payments[from]?.started_at ?? 0) < start) from += 1;
    to = next + 1;
    if (to - from > best.to - best.from) best = { from, to };
  }
  return payments.slice(best.from, best.to);
}
