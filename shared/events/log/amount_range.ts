import type { FragmentSqlToken } from 'slonik';
import { sql } from '#shared/platform/db.ts';
import { smallestUnits } from '#shared/values/money.ts';

/** Bounds of amounts in dollars, as `UsdFilter` lets them through. */
type Range = { amount_min?: string | undefined; amount_max?: string | undefined };

const MICRO_USD_PLACES = 6;

/** Whether only amounts within bounds are asked for. */
export const hasRange = ({ amount_min, amount_max }: Range): boolean =>
  amount_min !== undefined || amount_max !== undefined;

/** The bounds in micro-USD. */
export const boundsOf = ({
  amount_min,
  amount_max,
}: Range): { least: bigint | undefined; most: bigint | undefined } => ({
  least: amount_min === undefined ? undefined : microUsdOf(amount_min),
  most: amount_max === undefined ? undefined : microUsdOf(amount_max),
});

/** The condition that micro-USD are within the bounds. */
export function withinRange(usd_micro: FragmentSqlToken, range: Range): FragmentSqlToken {
  const { least, most } = boundsOf(range);
  return sql.fragment`${sql.and([
    least !== undefined && sql.fragment`${usd_micro} >= ${String(least)}::numeric`,
    most !== undefined && sql.fragment`${usd_micro} <= ${String(most)}::numeric`,
  ])}`;
}

/** The filter has let through no other form. */
const microUsdOf = (text: string): bigint => smallestUnits(text.replaceAll(/[$,]/g, ''), MICRO_USD_PLACES) ?? 0n;

/** No amount is within bounds that have passed each other: there is nothing to look through. */
export function isImpossible(range: Range): boolean {
  const { least, most } = boundsOf(range);
  return least !== undefined && most !== undefined && least > most;
}
