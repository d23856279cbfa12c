import { expectedAbove } from '#shared/detection/model/rarity.ts';
import { ALONE, type Eyes, type Look, PART_OF_TASKS, type RecordAround } from './look.ts';
import { amountOutlier } from './look_at_stretches.ts';
import { lnOf } from './record.ts';
import { tellKnownPayee } from './words_of_payees.ts';

/**
 * Holds a payment against what its payee got from the agent before: who pays rent, parking and salaries has no usual amount, but each payee has
 * one.
 */
export function lookAtKnownPayee(
  { own, apart, past, reach, span, begins, new_rail }: RecordAround,
  { asks }: Eyes,
): Look[] {
  if (own.is_new || own.usd < asks.amount_usd) return [];
  const to_payee = past.filter(({ payment }) => payment.payee_id === own.payee_id);
  const most = to_payee.reduce((highest, { usd }) => Math.max(highest, usd), 0);
  if (to_payee.length < LEAST_KNOWN || own.usd < TIMES * most) return [];
  const per_month = ALONE * ((to_payee.length + 1) / span);
  const expected = expectedAbove(own.ln, { values: lnOf(to_payee), per_month }, SPREAD);
  const tell = () => tellKnownPayee(own, to_payee, { apart, reach });
  return [{ ...amountOutlier, expected, per_month, begins: begins * PART_OF_TASKS + new_rail, tell }];
}

/** Fewer payments do not show what a payee usually gets, and less than so many times the most is a larger order. */
const [LEAST_KNOWN, TIMES] = [4, 2];
/** By how much what one payee gets varies, see `Spread`: measured on others' worlds. */
const SPREAD = 0.4;
