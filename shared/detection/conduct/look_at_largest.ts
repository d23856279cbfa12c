import { largestPaid } from '#shared/detection/model/largest_paid.ts';
import type { Eyes, Look, RecordAround } from './look.ts';
import { amountOutlier } from './look_at_stretches.ts';
import { tellLargest } from './words.ts';

/** An agent has paid so often before it is asked what it pays beside all others. */
const LEAST_BEFORE = 2;
/** So many times as much as ever before a payment has to be: for the agent, and for the whole organization. */
const [OWN_TIMES, TIMES] = [4, 2];
/** How often in a month an agent pays so many times as much as any agent ever did: measured on others' worlds, and twice that to be on the safe side. */
const [OFTEN, OFTEN_AT_FIRST, POWER] = [2, 300, 3];

/** Holds a payment against the largest that any agent of the organization has made, however little is known of this one. */
export function lookAtLargest(
  agent_id: string,
  { own, all, span, begins, new_rail }: RecordAround,
  { asks, spreads }: Eyes,
): Look[] {
  const others = all.filter(({ payment }) => payment !== own.payment);
  if (own.usd < asks.amount_usd || others.length < LEAST_BEFORE) return [];
  const at_hand = others.reduce((most, { usd }) => Math.max(most, usd), 0);
  const largest = own.usd < OWN_TIMES * at_hand ? null : largestPaid(spreads.largest, agent_id, at_hand);
  if (!largest || own.usd < OWN_TIMES * largest.own || own.usd < TIMES * largest.all) return [];
  const times = own.usd / largest.all;
  return [
    {
      ...amountOutlier,
      expected: (OFTEN + OFTEN_AT_FIRST / largest.payments) * times ** -POWER,
      per_month: (others.length + 1) / span,
      // A new task is to pay what others pay.
      begins: (begins + new_rail) / times,
      tell: () => tellLargest(own, largest),
    },
  ];
}
