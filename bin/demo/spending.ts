import { DAY, HOUR } from '#shared/values/time.ts';
import type { Purchase } from './purchase.ts';
import type { DemoOwner } from './agent.ts';

// What purchases of one agent come to, as budgets count them: by the first event that says they are paid. Amounts in the unit the agent
// pays in; what fell through later still counts, so that these are at least what a mandate sees.

/** When a purchase begins to count, in milliseconds since 1970; null for one that fails. */
export function countedAt({ at, course }: Purchase): number | null {
  const step = course.find(({ type }) => type === 'payment.authorized' || type === 'payment.settled');
  return step ? at + step.after : null;
}

/** The dearest of them; 0 where there is none. */
export const largest = (purchases: readonly Purchase[]): number =>
  purchases.reduce((most, purchase) => (countedAt(purchase) === null ? most : Math.max(most, costOf(purchase))), 0);

/** The most that was spent in one day, or one month, of the owner's calendar. */
export function mostIn(interval: 'daily' | 'monthly', owner: DemoOwner, purchases: readonly Purchase[]): number {
  const sums = new Map<string, number>();
  for (const purchase of purchases) {
    const at = countedAt(purchase);
    if (at === null) continue;
    const date = new Date(at + owner.utc_offset * HOUR).toISOString();
    const period = date.slice(0, interval === 'daily' ? 10 : 7);
    sums.set(period, (sums.get(period) ?? 0) + costOf(purchase));
  }
  return Math.max(0, ...sums.values());
}

/** Where the owner's clocks stand, as an IANA name: the signs of Etc/GMT are those of POSIX, west is positive. */
export const zoneOf = ({ utc_offset }: DemoOwner): string =>
  utc_offset === 0 ? 'Etc/UTC' : `Etc/GMT${utc_offset < 0 ? '+' : '-'}${Math.abs(utc_offset)}`;

/** The hour of the owner's day, 0 to 23. */
export const hourOf = (at: number, { utc_offset }: DemoOwner): number => new Date(at + utc_offset * HOUR).getUTCHours();

/** When the owner's next day begins. */
export const midnightAfter = (at: number, { utc_offset }: DemoOwner): number =>
  (Math.floor((at + utc_offset * HOUR) / DAY) + 1) * DAY - utc_offset * HOUR;

const costOf = ({ amount }: Purchase): number => Number(amount.value);
