import type { Context } from '#shared/detection/model/detector.ts';
import { expectedAbove, expectedOfLeap, expectedOfNewConduct, months } from '#shared/detection/model/rarity.ts';
import { learnSpread, spreadOf } from '#shared/detection/model/spreads.ts';
import type { DetectionEvent, Payment } from '#shared/events/log/payment.ts';
import { DAY, HOUR, MINUTE } from '#shared/values/time.ts';
import { LEAST_PAYMENTS } from '#shared/detection/model/asks.ts';
import { type Eyes, type Look, PART_OF_TASKS, heldAgainst, reachOf, wholeMinutes } from './look.ts';
import {
  type WithinTime,
  episodesOfHours,
  episodesOutside,
  firstAfter,
  type EpisodePart,
  spanOf,
  stretchAround,
} from './record.ts';
import { isCut, nearHours } from '#shared/detection/model/near_hours.ts';
import { tellPace } from './words.ts';

/** Looks at how many payments an agent makes, with a payment that has just begun. Pure, but for what `eyes.spreads` learns. */
export function lookAtPace(
  { occurred_at: at }: DetectionEvent,
  { history, payment, between, is_new_payee }: Context,
  { asks, spreads, learns, passed_over }: Eyes,
): Look[] {
  const { payments } = history;
  if (payments.length <= LEAST_PAYMENTS) return [];
  const hours = isCut(history, at) ? nearHours(history, at) : null;
  const moments = payments.map(({ started_at }): EpisodePart => ({ at: started_at, usd: 0, is_new: false, excess: 0 }));
  const span = months(hours ? reachOf(hours) : spanOf(moments[0]?.at ?? at, moments.at(-1)?.at ?? at));
  return [MINUTE, HOUR].flatMap((length): Look[] => {
    const inside = stretchAround(moments, at, length);
    const at_hand = inside[1] - inside[0];
    const count = hours ? Math.max(at_hand, between(...wholeMinutes(at, length)).payments) : at_hand;
    const isMany = count >= (length === MINUTE ? asks.per_minute : asks.per_hour);
    if (!learns && !isMany) return [];
    const held = heldAgainst(moments, inside, { passed_over }, place => payments[place]);
    const values =
      length === MINUTE
        ? busiestMinutes(hours, held.list, held.inside)
        : (hours ? episodesOfHours(hours, at, length) : episodesOutside(held.list, held.inside, length)).map(
            lnPayments,
          );
    if (values.length === 0) return [];
    if (learns) learnSpread(spreads, 'pace', values);
    if (!isMany) return [];
    const per_month = (values.length + 1) / span;
    const by_tail = expectedAbove(Math.log(count), { values, per_month }, spreadOf(spreads, 'pace'));
    const outside = held.list.length - (held.inside[1] - held.inside[0]);
    const by_leap = expectedOfLeap(count / Math.exp(Math.max(...values)), outside, PACE);
    const expected = length === HOUR && !hours ? Math.min(by_tail, by_leap) : by_tail;
    const begins = expectedOfNewConduct(span) * PART_OF_TASKS * (is_new_payee ? 1 : PART_OF_TASKS);
    const tell = () => tellPace(count, length, withOwn(payments.slice(...inside), payment), values);
    return [{ detector: 'velocity_count', group: 'pace', expected, per_month, begins, tell }];
  });
}

/** How often an hour has so many times as many payments as any other, measured as the other leaps are. */
const PACE = { often: 150, power: 3 };

/** A payment that is older than all at hand is not among them. */
const withOwn = (members: readonly Payment[], own: Payment): readonly Payment[] =>
  members.includes(own) ? members : [own, ...members];

/**
 * How many payments the busiest minute had of each other day (UTC) on which it paid: a burst has many busy minutes, and is one. Of a busy
 * agent they are known hour by hour.
 */
function busiestMinutes(
  hours: ReturnType<typeof nearHours> | null,
  moments: readonly EpisodePart[],
  [from, to]: [number, number],
): number[] {
  const most = new Map<number, number>();
  const note = (at: number, count: number) => {
    const time = Math.floor(at / DAY);
    if (time !== now) most.set(time, Math.max(count, most.get(time) ?? 0));
  };
  const now = Math.floor((moments[from]?.at ?? 0) / DAY);
  if (hours) for (const { hour, busiest_minute } of hours) note(hour, busiest_minute);
  else
    for (const [at, { at: end }] of moments.entries())
      if (at < from || at >= to) note(end, at + 1 - firstAfter(moments, end - MINUTE));
  return [...most.values()].map(count => Math.log(Math.max(1, count)));
}

const lnPayments = ({ payments }: WithinTime) => Math.log(Math.max(1, payments));
