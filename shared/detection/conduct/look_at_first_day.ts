import type { Context } from '#shared/detection/model/detector.ts';
import { firstDaysOf } from '#shared/detection/model/first_days.ts';
import { expectedOfLeap, months } from '#shared/detection/model/rarity.ts';
import { DAY } from '#shared/values/time.ts';
import { AMOUNTS_LEAP, type Eyes, type Look, type RecordAround, spendVelocity, spentWithin, withOwn } from './look.ts';
import { stretchAround } from './record.ts';
import { amountOutlier } from './look_at_stretches.ts';
import { tellFirstDay, tellFirstLeap } from './words.ts';

/** What an agent spends on its first day is held against the first days of others. */
export function lookAtFirstDay(context: Context, { own, all }: RecordAround, { asks, spreads }: Eyes): Look[] {
  const members = all.slice(...stretchAround(all, own.at, DAY));
  if (members.length < all.length) return [];
  const spent = spentWithin(context, members, own.at, DAY);
  const days = firstDaysOf(spreads.first_days);
  if (!days || Number(spent) / 1e6 <= asks.day_usd) return [];
  const per_month = Math.max(
    LEAST_OFTEN,
    1 / months(own.at - (spreads.since ?? 0)),
    spreads.first_days.agents / (spreads.agent_days / 30),
  );
  const expected = per_month * days.shareAbove(Math.log(Number(spent) / 1e6));
  return [{ ...spendVelocity, per_month, expected, tell: () => tellFirstDay(spent, withOwn(members, own), days) }];
}

/**
 * An agent has one first day: in a log of three days that is ten a month of an agent. In an older one it is seldom that an agent is new, but nobody
 * wants to hear of one in ten that is.
 */
const LEAST_OFTEN = 2;

/**
 * A payment far above the few that an agent has made, and above what others spend on their whole first day: there is no record yet that would make it
 * ordinary.
 */
export function lookAtFirstLeap({ own, all, span, begins, new_rail }: RecordAround, { asks, spreads }: Eyes): Look[] {
  const days = firstDaysOf(spreads.first_days);
  const others = all.filter(({ payment }) => payment !== own.payment);
  if (!days || own.usd < asks.amount_usd || own.ln <= days.high) return [];
  const most = others.reduce((highest, { usd }) => Math.max(highest, usd), 0);
  const expected = expectedOfLeap(own.usd / most, others.length, AMOUNTS_LEAP);
  const per_month = (others.length + 1) / span;
  return [
    {
      ...amountOutlier,
      expected,
      per_month,
      begins: begins + new_rail,
      tell: () => tellFirstLeap(own, others.length, most, days),
    },
  ];
}
