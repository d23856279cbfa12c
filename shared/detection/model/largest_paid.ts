import { z } from 'zod';

/** How many payments of an organization's agents have settled, and the largest of each of the two that paid most, in dollars, from the top. */
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

/** Notes what an agent paid. Changes `largest`. */
export function learnLargest(largest: LargestPaid, agent_id: string, usd: number): void {
  if (usd <= 0) return;
  largest.payments += 1;
  const { most } = largest;
  const own = most.find(each => each.agent_id === agent_id);
  const beaten = own ?? (most.length < KEPT ? null : most.at(-1));
  if (beaten && usd <= beaten.usd) return;
  if (own) own.usd = usd;
  else most.splice(KEPT - 1, 1, { agent_id, usd });
  most.sort((a, b) => b.usd - a.usd);
}

/**
 * What an agent has paid at most, in dollars, and what any agent of the organization has, over how many payments; `at_hand`: its largest at hand.
 * Null where too little is known, or where no other agent pays half as much as this one: then the organization's record says nothing that its own
 * does not.
 */
export function largestPaid(
  { payments, most }: LargestPaid,
  agent_id: string,
  at_hand: number,
): { own: number; all: number; payments: number } | null {
  const own = Math.max(at_hand, most.find(each => each.agent_id === agent_id)?.usd ?? 0);
  const others = most.find(each => each.agent_id !== agent_id)?.usd ?? 0;
  if (payments < LEAST_KNOWN || others < own * AS_MUCH) return null;
  return { own, all: Math.max(own, others), payments };
}

const AS_MUCH = 0.5;
