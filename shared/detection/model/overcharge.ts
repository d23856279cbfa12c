import type { DetectionEvent, Payment } from '#shared/events/log/payment.ts';
import type { PaymentReport } from './detector.ts';
import type { Rail } from '#shared/values/event_types.ts';
import { MILLION, millionths } from './exact.ts';
import { areExchanged, MOST_OF_EXCHANGE } from './reported_amount.ts';
import { bigMax } from './score.ts';

/** More was settled than was authorized, in micro-USD. */
export type Overcharge = { settled: bigint; authorized: bigint };

/** That more was settled than was authorized, as the second of the two events tells; null where it does not. */
export function overchargeOf(
  event: Pick<DetectionEvent, 'type' | 'occurred_at' | 'usd_micro' | 'price_key'>,
  former: Payment | undefined,
  { authorized_micro: authorized }: Pick<Payment, 'authorized_micro'>,
): Overcharge | null {
  if (!former || event.usd_micro === null) return null;
  const settled = settledAmount(event, former);
  if (settled === null || authorized === null || settled <= authorized) return null;
  // Micro-dollars of a stablecoin were settled in whole cents, rounded up.
  if (settled - authorized < CENT && settled % CENT === 0n && authorized >= CENT) return null;
  return { settled, authorized };
}

const CENT = 10_000n;

/**
 * What was settled against the authorization that stands, in micro-USD; null where the event tells of neither, or where both were
 * the same price: in another currency the dollars differ from day to day.
 */
function settledAmount(
  { type, occurred_at, usd_micro, price_key }: Pick<DetectionEvent, 'type' | 'occurred_at' | 'usd_micro' | 'price_key'>,
  former: Payment,
): bigint | null {
  const { authorized_at, settled_at, settled_key } = former;
  if (type === 'payment.settled') {
    const isAfter = authorized_at !== null && authorized_at <= occurred_at;
    return isAfter && former.price_key !== price_key ? usd_micro : null;
  }
  if (type !== 'payment.authorized' || settled_at === null || settled_key === price_key) return null;
  const stands = settled_at >= occurred_at && occurred_at >= (authorized_at ?? occurred_at);
  return stands ? former.paid_micro : null;
}

/** The two reports that an overcharge is read from, and the kind of merchant as any of the reports has it. */
export type Charge = { settled: PaymentReport; authorized: PaymentReport; category: string | null };

/** A payment's charge by its reports, of which the one at `seq` tells it; null where they are not known. */
export function chargeOf(reports: readonly PaymentReport[], seq: number): Charge | null {
  const sorted = reports.toSorted(byOccurrence);
  const settlements = sorted.filter(({ type }) => type === 'payment.settled');
  const settled = settlements.find(({ chain_seq }) => chain_seq === seq) ?? settlements.at(-1);
  const authorized = sorted.findLast(({ type }) => type === 'payment.authorized');
  if (!settled || !authorized) return null;
  return { settled, authorized, category: sorted.findLast(({ category }) => category !== null)?.category ?? null };
}

const byOccurrence = (a: PaymentReport, b: PaymentReport) => a.occurred_at - b.occurred_at || a.chain_seq - b.chain_seq;

/**
 * The most that may be settled of a payment of which so much was authorized, in micro-USD, and why. Cards are authorized before the sum is
 * known where there is a tip, a minibar or a pump; and what is exchanged is settled at the rate of another day.
 */
export function mostSettled(
  authorized_micro: bigint,
  { settled, authorized, category }: Charge,
  rail: Rail,
): Allowance {
  const kind = rail === 'card' ? kinds.find(({ codes }) => isWithin(category, codes)) : undefined;
  const exchanged = areExchanged(authorized, settled);
  const share = (1 + (kind?.share ?? 0)) * (exchanged ? 1 + MOST_OF_EXCHANGE : 1);
  const by_share = (authorized_micro * millionths(share)) / MILLION;
  return { most: bigMax(by_share, kind?.least ?? 0n), kind: kind?.name ?? null, exchanged };
}

/** `kind`: what such merchants are called; `exchanged`: an exchange rate is part of it. */
export type Allowance = { most: bigint; kind: string | null; exchanged: boolean };

type Kind = { name: string; codes: readonly (readonly [number, number])[]; share: number; least?: bigint };

/**
 * Merchants that settle more than they authorized as a matter of course, by category (ISO 18245). Card networks let lodging, car rental and
 * cruises add 15 %, and restaurants and taxis a tip of 20 to 30 %; a pump is authorized for a token sum, and gives no more than its limit.
 */
const kinds: readonly Kind[] = [
  {
    name: 'restaurants, taxis and others that are tipped',
    codes: [
      [4121, 4121],
      [5811, 5814],
      [7230, 7230],
      [7297, 7298],
    ],
    share: 0.3,
  },
  {
    name: 'hotels, car rentals and cruises',
    codes: [
      [3351, 3999],
      [4411, 4411],
      [7011, 7011],
      [7512, 7513],
      [7519, 7519],
    ],
    share: 0.15,
  },
  {
    name: 'fuel pumps and charging stations',
    codes: [
      [5541, 5542],
      [5552, 5552],
    ],
    share: 0.15,
    least: 250_000_000n,
  },
];

function isWithin(category: string | null, codes: Kind['codes']): boolean {
  const code = Number(category ?? Number.NaN);
  return codes.some(([first, last]) => first <= code && code <= last);
}
