import type { Random } from '#bin/demo/random.ts';
import { cents, usdc } from '#bin/demo/purchase.ts';
import type { EventInput } from '#shared/events/input/event_input.ts';
import type { EventType, PaymentStatus } from '#shared/values/event_types.ts';
import { DAY, HOUR, SECOND, timestamp } from '#shared/values/time.ts';
import type { FamilyAgent, Spend } from './conduct.ts';

/** What a client sends of a payment, each event with when that is. */
export function reportsOf(agent: FamilyAgent, spend: Spend, random: Random): { at: number; input: EventInput }[] {
  const payment_id = `pay_${random.hex(16)}`;
  const call = spend.payee.tool === undefined ? null : { tool_name: spend.payee.tool, tool_call_id: random.hex(12) };
  const { price: _price, resource, tool: _tool, ...payee } = spend.payee;
  const amount = amountOf(spend, agent);
  return courseOf(agent, spend, random).map(({ type, after }) => {
    const at = Math.round(spend.at + after);
    return {
      at,
      input: {
        id: `evt_${random.ulid(at)}`,
        type,
        occurred_at: timestamp(at),
        agent: { external_id: agent.external_id },
        owner: { external_id: agent.owner.external_id, country: agent.owner.country },
        payment: { payment_id, rail: spend.rail, status: statusOf[type] ?? 'settled', amount, payee },
        ...(resource !== undefined && { resource_url: resource }),
        ...(call && { context: call }),
      },
    };
  });
}

type Step = { type: EventType; after: number };

function courseOf({ failing, refunded, reports_both }: FamilyAgent, { rail }: Spend, random: Random): Step[] {
  if (random.chance(failing)) return [{ type: 'payment.failed', after: 0 }];
  const settles = { type: 'payment.settled' as const, after: random.between(...settling[rail](random)) };
  const course: Step[] = reports_both
    ? [{ type: 'payment.authorized', after: 0 }, settles]
    : [{ type: 'payment.settled', after: 0 }];
  if (!random.chance(refunded)) return course;
  return [...course, { type: 'payment.refunded', after: (course.at(-1)?.after ?? 0) + random.exponential(3 * DAY) }];
}

const settling: Record<Spend['rail'], (random: Random) => [number, number]> = {
  x402: () => [SECOND, 4 * SECOND],
  wallet: () => [SECOND, 20 * SECOND],
  sepa: () => [2 * SECOND, 10 * SECOND],
  ach: () => [20 * HOUR, 3 * DAY],
  card: random => (random.chance(0.4) ? [2 * SECOND, 10 * SECOND] : [HOUR, 40 * HOUR]),
};

const statusOf: Partial<Record<EventType, PaymentStatus>> = {
  'payment.authorized': 'authorized',
  'payment.settled': 'settled',
  'payment.failed': 'failed',
  'payment.refunded': 'refunded',
};

/** Of money at least a cent, of USDC at least a millionth of a dollar. */
const amountOf = ({ usd, rail }: Spend, { currency }: FamilyAgent) =>
  rail === 'x402' || rail === 'wallet'
    ? usdc(Math.max(1, usd * 1e6))
    : cents(Math.max(1, usd * 100 * perDollar[currency]), currency);

const perDollar = { USD: 1, EUR: 1 / 1.16, GBP: 1 / 1.32 };
