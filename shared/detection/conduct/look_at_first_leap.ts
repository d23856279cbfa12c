import { firstDaysOf } from '#shared/detection/model/first_days.ts';
import { expectedOfLeap } from '#shared/detection/model/rarity.ts';
import { AMOUNTS_LEAP, type Eyes, type Look, type RecordAround } from './look.ts';
import { firstDaysInMonth } from './look_at_first_day.ts';
import { amountOutlier } from './look_at_stretches.ts';
import { tellFirstLeap } from './words.ts';

/**
 * A payment far above the few that an agent has made, and above what others spend on their whole first day: there is no record yet that would make it
 * ordinary, but agents may begin so here.
 */
export function lookAtFirstLeap({ own, all, begins, new_rail }: RecordAround, { asks, spreads }: Eyes): Look[] {
  const days = firstDaysOf(spreads.first_days);
  const others = all.filter(({ payment }) => payment !== own.payment);
  if (!days || own.usd < asks.amount_usd || own.ln <= days.high) return [];
  const most = others.reduce((highest, { usd }) => Math.max(highest, usd), 0);
  const per_month = firstDaysInMonth(own.at, spreads);
  const expected = Math.max(
    expectedOfLeap(own.usd / most, others.length, AMOUNTS_LEAP),
    per_month * days.shareAbove(own.ln),
  );
  const tell = () => tellFirstLeap(own, others.length, most, days);
  return [{ ...amountOutlier, expected, per_month, begins: begins + new_rail, tell }];
}
