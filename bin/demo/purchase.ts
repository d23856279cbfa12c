import type { EventType, PaymentStatus } from '#shared/values/event_types.ts';
import type { EventInput } from '#shared/events/input/event_input.ts';
import { DAY, HOUR, MINUTE, SECOND } from '#shared/values/time.ts';
import type { DemoPayee } from './market.ts';
import type { NearMiss } from './near_misses.ts';
import type { Random } from './random.ts';
import type { DemoAgent } from './agent.ts';

/** One payment of an agent: what it is for, and the course it takes. */
export type Purchase = {
  agent: DemoAgent;
  payee: DemoPayee;
  rail: EventInput['payment']['rail'];
  amount: EventInput['payment']['amount'];
  /** Milliseconds since 1970. */
  at: number;
  course: PurchaseStep[];
  /** What authorizes it: comes with the event that says so, and over x402 with the settlement again. */
  evidence?: EventInput['evidence'];
  /** What it looks like, although nothing is wrong with it. */
  near_miss?: NearMiss;
} & Pick<EventInput, 'resource_url' | 'description' | 'category' | 'context' | 'metadata' | 'mandate_id'>;

/**
 * What happens to a payment, and how long after it was made: of another `amount` than the whole where it says so, and told by another
 * source than the agent's own.
 */
export type PurchaseStep = {
  type: EventType;
  after: number;
  status?: PaymentStatus;
  failure?: EventInput['failure'];
  amount?: Purchase['amount'];
  source_id?: string;
};

/** The events of a payment, as far as they have happened by `now`. */
export function eventsOf(purchase: Purchase, now: number, random: Random): EventInput[] {
  const payment_id = `pay_${random.hex(16)}`;
  return purchase.course
    .filter(step => purchase.at + step.after <= now)
    .map(step => eventOf(purchase, step, payment_id, random));
}

function eventOf(purchase: Purchase, step: PurchaseStep, payment_id: string, random: Random): EventInput {
  const { agent, payee, rail, mandate_id, resource_url, description, category, context, metadata } = purchase;
  const { external_id, name, framework, model, owner } = agent;
  const time = purchase.at + step.after;
  return {
    id: `evt_${random.ulid(time)}`,
    type: step.type,
    occurred_at: localTime(time, owner.utc_offset),
    ...(step.source_id !== undefined && { source_id: step.source_id }),
    agent: { external_id, name, framework, model },
    owner: { external_id: owner.external_id, name: owner.name, country: owner.country },
    payment: {
      payment_id,
      rail,
      status: step.status ?? statusOf[step.type],
      amount: step.amount ?? purchase.amount,
      payee,
    },
    ...(mandate_id !== undefined && { mandate_id }),
    ...(carriesEvidence(purchase, step) && { evidence: purchase.evidence }),
    ...(description !== undefined && { description }),
    ...(resource_url !== undefined && { resource_url }),
    ...(category !== undefined && { category }),
    ...(rail === 'card' && { instrument: agent.card }),
    ...(step.failure && { failure: step.failure }),
    ...(context && { context: { ...context, human_present: false } }),
    ...(metadata && { metadata }),
  };
}

const carriesEvidence = ({ evidence, rail }: Purchase, { type }: PurchaseStep) =>
  evidence !== undefined && (type === 'payment.authorized' || (type === 'payment.settled' && rail === 'x402'));

const statusOf: Record<EventType, PaymentStatus> = {
  'payment.requested': 'pending',
  'payment.authorized': 'authorized',
  'payment.settled': 'settled',
  'payment.failed': 'failed',
  'payment.canceled': 'canceled',
  'payment.refunded': 'refunded',
  'payment.disputed': 'disputed',
};

/** RFC 3339 as clients write it: where they are. */
function localTime(time: number, utc_offset: number): string {
  const local = new Date(time + utc_offset * HOUR).toISOString();
  if (utc_offset === 0) return local;
  return local.replace('Z', `${utc_offset < 0 ? '-' : '+'}${String(Math.abs(utc_offset)).padStart(2, '0')}:00`);
}

const settled = (after: number): PurchaseStep => ({ type: 'payment.settled', after: Math.round(after) });
const authorized: PurchaseStep = { type: 'payment.authorized', after: 0 };

/** The courses that payments take. */
export const courses = {
  /** A facilitator settles within seconds; most clients report the settlement only. */
  x402: (random: Random): PurchaseStep[] =>
    random.chance(0.25)
      ? [authorized, settled(random.between(0.9, 3.5) * SECOND)]
      : [settled(random.between(0.9, 3.5) * SECOND)],
  /** A facilitator that is busy. */
  slow: (random: Random): PurchaseStep[] => [authorized, settled(random.between(3, 12) * MINUTE)],
  /** Authorized at once, captured when the goods leave. */
  card: (random: Random): PurchaseStep[] =>
    random.chance(0.4)
      ? [authorized, settled(random.between(2, 9) * SECOND)]
      : [authorized, settled(random.between(1, 26) * HOUR)],
  /** Authorized when a room is booked, captured when it is left. */
  late: (random: Random): PurchaseStep[] => [authorized, settled(random.between(5.5, 6.5) * DAY)],
  /** An instant credit transfer: ten seconds at the most. */
  sepa: (random: Random): PurchaseStep[] => [authorized, settled(random.between(1.5, 9.5) * SECOND)],
  failed: (code: string, message: string, after = 0): PurchaseStep[] => [
    { type: 'payment.failed', after, failure: { code, message } },
  ],
  refunded: (course: PurchaseStep[], after: number, amount?: Purchase['amount']): PurchaseStep[] => [
    ...course,
    {
      type: 'payment.refunded',
      after: (course.at(-1)?.after ?? 0) + after,
      ...(amount && { amount, status: 'partially_refunded' }),
    },
  ],
  canceled: (random: Random): PurchaseStep[] => [
    authorized,
    { type: 'payment.canceled', after: Math.round(random.between(3, 50) * MINUTE) },
  ],
};

/** USDC on Base, in millionths of a dollar. */
export const usdc = (micro: number): Purchase['amount'] => ({
  value: String(Math.round(micro)),
  unit: 'atomic',
  asset: { network: 'eip155:8453', address: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913', symbol: 'USDC', decimals: 6 },
});

/** The same payment on another network, to the same address. */
export const onPolygon = (purchase: Purchase): Purchase => ({
  ...purchase,
  payee: { ...purchase.payee, key: purchase.payee.key.replace('eip155:8453:', `${polygon.network}:`) },
  amount: { ...purchase.amount, asset: polygon },
  near_miss: 'wallet on two networks',
});

const polygon = {
  network: 'eip155:137',
  address: '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359',
  symbol: 'USDC',
  decimals: 6,
};

/** Money in cents. */
export const cents = (value: number, currency: string): Purchase['amount'] => ({
  value: String(Math.round(value)),
  unit: 'minor',
  currency,
});
