import type { DetectionEvent, Payment } from '#shared/events/log/payment.ts';
import type { Rail } from '#shared/values/event_types.ts';
import type { PaymentReport } from './detector.ts';
import { MILLION, millionths } from './exact.ts';
import { compared, MOST_OF_EXCHANGE } from './reported_amount.ts';
import { byOccurrence, isAuthorization, isSettlement, standingFor } from './reports.ts';

/** More was settled than was authorized, and than such merchants or banks add: in one unit, and by which reports. `rule`: what was allowed for. */
export type Overcharge = {
  settled: PaymentReport;
  authorized: PaymentReport;
  /** By how much, and what part of what was authorized that is; null of nothing. */
  more: bigint;
  part: number | null;
  rule: Allowance;
};

/**
 * Whether the settlement and the authorization of a payment may tell of an overcharge, by what is known without reading them: they have two
 * prices, and the settled one is not clearly lower. By dollars of two days, a fifth apart is clear.
 */
export function mayBeOvercharged(former: Payment | undefined, payment: Payment): boolean {
  const { settled_key, authorized_at, authorized_micro, authorized_key } = payment;
  if (!former || settled_key === null || authorized_at === null) return false;
  if (settled_key === authorized_key && !payment.settled_unlike) return false;
  const { largest_settled_micro: settled } = payment;
  return authorized_micro === null || settled === null || settled * 5n > authorized_micro * 4n;
}

/** The overcharge that an event tells of, which is the second of its two reports; null where it tells of none. */
export function overchargeOf(
  { chain_seq, type }: Pick<DetectionEvent, 'chain_seq' | 'type'>,
  reports: readonly PaymentReport[],
  rail: Rail,
): Overcharge | null {
  const sorted = reports.toSorted(byOccurrence);
  const own = sorted.find(report => report.chain_seq === chain_seq);
  const settled = type === 'payment.settled' ? own : sorted.findLast(isSettlement);
  if (!own || !settled) return null;
  const authorized = standingFor(settled, sorted);
  if (!authorized || (own !== settled && own !== authorized)) return null;
  const both = compared(settled, authorized);
  if (!both || both.a <= both.b) return null;
  const more = both.a - both.b;
  // Parts of a cent were settled in whole cents, rounded up.
  if (both.cent !== null && more < both.cent && both.a % both.cent === 0n && both.b >= both.cent) return null;
  const rule = allowanceOf(sorted, rail, both.exchanged);
  if (both.a <= (both.b * millionths(1 + rule.share)) / MILLION) return null;
  if (rule.kind?.by_token && isTokenSum(authorized) && (settled.usd_micro ?? MOST_OF_PUMP) < MOST_OF_PUMP) return null;
  return { settled, authorized, more, part: both.b === 0n ? null : Number((more * MILLION) / both.b) / 1e6, rule };
}

/** How much above the authorization is allowed for, as a share of it; for what kind of merchant; and whether an exchange is part of it. */
export type Allowance = { share: number; kind: Kind | null; exchanged: boolean };

/**
 * Cards are authorized before the sum is known where there is a tip, a minibar or a pump; and what is exchanged is settled at the rate of
 * another day. Reports that name two kinds of merchants are allowed none.
 */
function allowanceOf(reports: readonly PaymentReport[], rail: Rail, exchanged: boolean): Allowance {
  const named = reports.flatMap(report =>
    (isSettlement(report) || isAuthorization(report)) && report.category !== null ? [kindOf(report.category)] : [],
  );
  const [first = null, ...rest] = rail === 'card' ? named : [];
  const kind = rest.every(other => other === first) ? first : null;
  return { share: (1 + (kind?.share ?? 0)) * (exchanged ? 1 + MOST_OF_EXCHANGE : 1) - 1, kind, exchanged };
}

/** `by_token`: a token sum is authorized, whatever is settled. */
type Kind = { name: string; codes: readonly (readonly [number, number])[]; share: number; by_token?: true };

/** A pump that was authorized for up to $2 gives no more than $250. */
const isTokenSum = ({ usd_micro }: PaymentReport): boolean =>
  usd_micro !== null && usd_micro > 0n && usd_micro <= 2_000_000n;
const MOST_OF_PUMP = 250_000_000n;

/**
 * Merchants that settle more than they authorized as a matter of course, by category (ISO 18245). Card networks let lodging, car rental and
 * cruises add 15 %, and those who are tipped 20 to 30 %; a pump is authorized for a token sum, and gives no more than its limit.
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
    by_token: true,
  },
];

function kindOf(category: string): Kind | null {
  const code = Number(category);
  return kinds.find(({ codes }) => codes.some(([first, last]) => first <= code && code <= last)) ?? null;
}
