import type { Payment } from '#shared/events/log/payment.ts';
import { SECOND } from '#shared/values/time.ts';
import { gapOf } from './repeats.ts';

/** Whether two payments name the same of something, or two. */
export const same = (a: string | null, b: string | null) => a !== null && a === b;
export const differ = (a: string | null, b: string | null) => a !== null && b !== null && a !== b;

/** One call may pay for several resources, such as the pages of a list. */
export const isForOneCall = (a: Payment, b: Payment) =>
  same(a.tool_call_key, b.tool_call_key) && !differ(a.resource_key, b.resource_key);

/** Different calls or resources: they were meant as two payments. */
export const isOtherIntent = (a: Payment, b: Payment) =>
  differ(a.tool_call_key, b.tool_call_key) || differ(a.resource_key, b.resource_key);

/** Whether the earlier of two payments had settled before the other began, for something else: then nobody gave up waiting for it. */
export function wasKnown(payment: Payment, twin: Payment): boolean {
  const [first, second] = twin.started_at <= payment.started_at ? [twin, payment] : [payment, twin];
  return isOtherIntent(payment, twin) && first.settled_at !== null && first.settled_at <= second.started_at;
}

export const looksLikeTimeout = (gap: number) =>
  (gap >= 28 * SECOND && gap <= 40 * SECOND) || (gap >= 58 * SECOND && gap <= 70 * SECOND);

/** Whether one followed another as if nobody had waited any longer for an answer. */
export const hasTimeout = (copies: readonly Payment[]) =>
  copies.some((copy, index) => {
    const before = copies[index - 1];
    return before !== undefined && looksLikeTimeout(gapOf(copy, before)) && !wasKnown(copy, before);
  });
