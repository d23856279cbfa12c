import { ulid } from 'ulid';
import type { Params } from '#shared/detection/model/detector.ts';
import { statusesOfType } from '#shared/values/event_types.ts';
import { DAY, HOUR, MINUTE, SECOND } from '#shared/values/time.ts';

/** Thresholds that a short script reaches often. */
export const low: Record<string, Params> = {
  velocity_count: { per_minute: 3, per_hour: 6 },
  spend_velocity: { hour_floor_usd: '20', day_floor_usd: '30' },
  amount_outlier: { least_payments: 5, threshold: 1 },
  new_payee_high_amount: { floor_usd: '5' },
  just_under_limit: { least: 2, limits_usd: ['10'] },
  failed_payment_burst: { least: 2, least_share: 0.1 },
  runaway_loop: { least: 2 },
  dormant_agent: { silence_s: 86_400, least_events: 2 },
  payee_fan_out: { least: 3, times_mad: 0 },
  payee_fan_in: { least: 2 },
  country_change: { least_payments: 3 },
  price_drift: { ratio: 1.1, least_payments: 1 },
};

/** Whole numbers from 0 to below `most`, the same ones for each seed (mulberry32). */
export type Dice = (most: number) => number;

export function diceOf(seed: number): Dice {
  let state = seed;
  return most => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % most;
  };
}

/**
 * Events as a hostile client would send them: bursts and long silences, payments of several events, some of them twice at one moment,
 * amounts of nothing, without a price, or beyond all money, payees that go by each other's names; in the order in which they arrive,
 * which is seldom that in which they occurred.
 */
export function scriptOf(dice: Dice, length: number, start: number) {
  const bursts = Array.from({ length: 8 }, () => start - pick(dice, [0, 1, 2, 9, 38, 70]) * DAY - dice(20) * HOUR);
  const timeOf = () => pick(dice, bursts) + dice(6) * pick(dice, [0, SECOND, 31 * SECOND, MINUTE, 9 * MINUTE, HOUR]);
  const events = Array.from({ length }, (_, index) => {
    const at = timeOf();
    const type = pick(dice, types);
    const agent = dice(4);
    return {
      id: `evt_${ulid(at)}`,
      type,
      occurred_at: new Date(at).toISOString(),
      agent: { external_id: `agent-${agent}` },
      owner: { external_id: `owner-${dice(8) === 0 ? 2 : agent % 2}` },
      payment: {
        // Two agents may use one payment's id.
        payment_id: pick(dice, [`pay-${index}`, `pay-${index}`, `pay-${agent}-${dice(16)}`, `pay-${dice(9)}`]),
        rail: pick(dice, ['card', 'x402', 'wire']),
        status: statusesOfType[type][0],
        amount: pick(dice, amounts),
        payee: {
          ...pick(dice, payees),
          ...pick(dice, [{}, {}, { country: 'DE' }, { country: pick(dice, countries) }]),
        },
      },
      ...pick(dice, [{}, { resource_url: `https://${pick(dice, hosts)}/${dice(3)}` }]),
      context: { ...pick(dice, contexts(dice)), attempt: dice(5) },
      ...pick(dice, saidBy(dice(3))),
    };
  });
  // Some arrive late, by a little or by very much.
  return events
    .map((event, index) => ({ event, place: dice(4) === 0 ? dice(length) : index }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ event }) => event);
}

const pick = <T>(dice: Dice, list: readonly T[]): T => list[dice(list.length)] as T;

const types = [
  'payment.requested',
  'payment.authorized',
  'payment.authorized',
  'payment.settled',
  'payment.settled',
  'payment.settled',
  'payment.settled',
  'payment.settled',
  'payment.failed',
  'payment.canceled',
  'payment.refunded',
  'payment.disputed',
] as const;

const dollars = (cents: string) => ({ value: cents, unit: 'minor', currency: 'USD' });
const amounts = [
  ...['0', '1', '99', '100', '100', '100', '950', '1000', '1000', '5001', '25000'].map(dollars),
  dollars('9'.repeat(77)),
  ...['2500', '25000'].map(cents => ({ ...dollars(cents), currency: 'EUR' })),
  { value: '77', unit: 'atomic', asset: { network: 'eip155:8453', address: `0x${'ab'.repeat(20)}` } },
];

const iban = (rest: string) => `iban:DE${rest}`;
const wallet = (middle: string) => `eip155:8453:0x1234${middle.repeat(32)}5678`;
const payees = [
  { key: 'domain:shop.example.com' },
  { key: 'domain:big.example.com', name: '🛒 Großmarkt' },
  ...['89370400440532013000', '75512108001245126199', '02120300000000202051'].map(rest => ({
    key: iban(rest),
    name: 'ACME GmbH',
  })),
  ...['02500105170137075030', '02100500000054540402'].map(rest => ({
    key: iban(rest),
    name: 'Anna Lang',
    type: 'individual',
  })),
  ...['a', 'b', 'c'].map(middle => ({ key: wallet(middle) })),
  ...Array.from({ length: 30 }, (_, n) => ({
    key: `merchant:stripe:acct_${n}`,
    name: 'John Smith',
    type: 'individual',
  })),
  ...Array.from({ length: 12 }, (_, n) => ({ key: `domain:n${n}.example.com` })),
];
const hosts = ['api.example.com', 'erp.example.com'];
const countries = ['FR', 'BR', 'KP', 'JP', 'US', 'IT'];
/** What payments are for: few of each, so that they meet. */
const saidBy = (n: number) => [
  {},
  {},
  { description: `Invoice INV-700${n}` },
  { description: `Seat ${n} of the gallery` },
  { metadata: { order_id: `O-500${n}` } },
  { metadata: { invoice_number: `A-700${n}`, part: `${n}` } },
  { metadata: { booking_ref: `BK-30${n}`, passenger: ['Aisha Chen', 'Omar Rossi', 'Eve Adams'][n] } },
  { metadata: { campaign: 'Q3-2026', ticket: `T-800${n}` } },
];
const contexts = (dice: Dice) => [{}, { tool_name: 'buy' }, { tool_name: 'buy', tool_call_id: `call-${dice(20)}` }];
