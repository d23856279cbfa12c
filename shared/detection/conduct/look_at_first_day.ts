import type { Context } from '#shared/detection/model/detector.ts';
import { firstDaysOf } from '#shared/detection/model/first_days.ts';
import { months } from '#shared/detection/model/rarity.ts';
import type { Spreads } from '#shared/detection/model/spreads.ts';
import { DAY } from '#shared/values/time.ts';
import { type Eyes, type Look, type RecordAround, spendVelocity, spentWithin, withOwn } from './look.ts';
import { stretchAround } from './record.ts';
import { tellFirstDay } from './words.ts';

/** What an agent spends on its first day is held against the first days of others. */
export function lookAtFirstDay(context: Context, { own, all }: RecordAround, { asks, spreads }: Eyes): Look[] {
  const members = all.slice(...stretchAround(all, own.at, DAY));
  if (members.length < all.length) return [];
  const spent = spentWithin(context, members, own.at, DAY);
  const days = firstDaysOf(spreads.first_days);
  if (!days || Number(spent) / 1e6 <= asks.day_usd) return [];
  const per_month = firstDaysInMonth(own.at, spreads);
  const expected = per_month * days.shareAbove(Math.log(Number(spent) / 1e6));
  return [{ ...spendVelocity, per_month, expected, tell: () => tellFirstDay(spent, withOwn(members, own), days) }];
}

/** How many first days there are in a month of an agent. */
export const firstDaysInMonth = (at: number, { since, first_days, agent_days }: Spreads): number =>
  Math.max(LEAST_OFTEN, 1 / months(at - (since ?? 0)), (30 * first_days.agents) / Math.max(1, agent_days));

/**
 * An agent has one first day: in a log of three days that is ten a month of an agent. In an older one it is seldom that an agent is new, but nobody
 * wants to hear of one in ten that is.
 */
const LEAST_OFTEN = 2;
