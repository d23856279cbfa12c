import { z } from 'zod';

/** How many payments the agents of an organization have made, and the largest of each of those that paid most, in dollars, from the top. */
export const LargestPaid = z.object({
  payments: z.number(),
  most: z.array(z.object({ agent_id: z.string(), usd: z.number() })),
});
export type LargestPaid = z.infer<typeof LargestPaid>;

export const nothingPaid = (): LargestPaid => ({ payments: 0, most: [] });

/** Two agents are enough to know the largest of any other. */
const KEPT = 2;
/** Below so many payments nobody knows what an organization pays. */
const LEAST_KNOWN = 100;
/** Where it is known, a payment raises it at most so many times: a slip of the keyboard does not hide the next one. */
const MOST_TIMES = 4;

/** Notes what an agent paid. Changes `largest`. */
export function learnLargest(largest: LargestPaid, agent_id: string, usd: number): void {
  largest.payments += 1;
  const { most, payments } = largest;
  const [top, last] = [most[0]?.usd ?? 0, most.at(-1)];
  const known = payments > LEAST_KNOWN ? Math.min(usd, top * MOST_TIMES) : usd;
  const own = most.find(each => each.agent_id === agent_id);
  if (known <= (own?.usd ?? (most.length < KEPT ? 0 : (last?.usd ?? 0)))) return;
  if (own) own.usd = known;
  else most.splice(KEPT - 1, 1, { agent_id, usd: known });
  most.sort((a, b) => b.usd - a.usd);
}

/**
 * What the organization has paid at most, in dollars, and over how many payments; null where too little is known, or where no other agent pays as
 * much as this one did (`own_usd`, its largest): then that says nothing that its own record does not.
 */
export function largestPaid(
  { payments, most }: LargestPaid,
  agent_id: string,
  own_usd: number,
): { usd: number; payments: number } | null {
  const others = most.find(each => each.agent_id !== agent_id);
  if (payments < LEAST_KNOWN || !others || others.usd < own_usd * AS_MUCH) return null;
  return { usd: Math.max(own_usd, others.usd), payments };
}

const AS_MUCH = 0.5;
