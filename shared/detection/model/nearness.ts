import type { Payment } from '#shared/events/log/payment.ts';
import { DAY, formatDuration, SECOND } from '#shared/values/time.ts';
import { gapOf } from './repeats.ts';

/** How much longer a bank may take over one of two payments for one thing. */
export const MOST_OF_BANKS = 3 * DAY;

/** How far apart two payments are, in milliseconds, and in what they are nearest. */
export type Nearness = { gap: number; as: 'paid' | 'requested' | 'settled' };

/**
 * How near two payments are: for one call or order, by when they were requested, too; for one call, by when they settled, since the nights of one booking
 * settle together.
 */
export function nearnessOf(a: Payment, b: Payment, of: 'call' | 'order' | null): Nearness {
  const paid = gapOf(a, b);
  if (of === null || paid > MOST_OF_BANKS) return { gap: paid, as: 'paid' };
  const requested = Math.abs(a.started_at - b.started_at);
  const settled = of === 'call' ? Math.abs((a.settled_at ?? Infinity) - (b.settled_at ?? -Infinity)) : Infinity;
  if (paid <= Math.min(requested, settled)) return { gap: paid, as: 'paid' };
  return requested <= settled ? { gap: requested, as: 'requested' } : { gap: settled, as: 'settled' };
}

/** The same in words, beside how far apart they were paid. */
export function apartText({ gap, as }: Nearness, paid: number): string {
  if (as === 'settled') return `settled ${durationOf(gap)} apart, one of them authorized ${durationOf(paid)} before`;
  return `${as === 'paid' ? '' : `requested ${durationOf(gap)} apart and paid `}${durationOf(paid)} apart`;
}

export const durationOf = (gap: number) => (gap < SECOND ? 'less than 1 s' : formatDuration(gap));
