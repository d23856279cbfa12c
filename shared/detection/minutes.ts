import { DAY, HOUR, MINUTE } from '#shared/time.ts';

/** What an agent did minute by minute: by the start of the minute in milliseconds. */
export type Minutes = Map<number, { payments: number; spend_micro: bigint }>;

/** A change of one moment: so many payments started then, so much more was spent then. */
export type Change = { at: number; payments: number; spend_micro: bigint };

/** Keeps the minutes up with a change. Changes `minutes`. */
export function addToMinutes(minutes: Minutes, { at, payments, spend_micro }: Change): void {
  const minute = at - (at % MINUTE);
  const known = minutes.get(minute);
  minutes.set(minute, {
    payments: (known?.payments ?? 0) + payments,
    spend_micro: (known?.spend_micro ?? 0n) + spend_micro,
  });
  if (minutes.size > MOST_MINUTES) forgetOld(minutes);
}

/** Twice what a window of a day and a late event within it need. */
const MOST_MINUTES = (2 * (DAY + HOUR)) / MINUTE;

function forgetOld(minutes: Minutes): void {
  const newest = Math.max(...minutes.keys());
  for (const minute of minutes.keys()) if (minute < newest - DAY - HOUR) minutes.delete(minute);
}

/** What happened from `from` until before `to`, from the minutes that lie wholly in between. */
export function minutesBetween(minutes: Minutes, from: number, to: number): { payments: number; spend_micro: bigint } {
  let payments = 0;
  let spend_micro = 0n;
  for (let minute = Math.ceil(from / MINUTE) * MINUTE; minute < to; minute += MINUTE) {
    const known = minutes.get(minute);
    payments += known?.payments ?? 0;
    spend_micro += known?.spend_micro ?? 0n;
  }
  return { payments, spend_micro };
}
