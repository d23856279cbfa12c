import { addRef, noRefs, type Refs } from '#shared/packs/report/refs.ts';
import type { PaymentTold, Unpriced } from '#shared/packs/report/spend.ts';
import { DAY, timestamp } from '#shared/values/time.ts';

/** A sum of payments: how many there are, what was spent, and how many of those that count could not be priced in full. */
export type Sum = { payments: number; spend_micro: bigint; unpriced: number; events: Refs };

/** All the payment numbers of a report, by rail, status, payee, agent and period. */
export type PaymentSums = {
  all: Sum;
  /** Payments that count as spending. */
  counting: Sum;
  by: Record<'rail' | 'status' | 'payee_id' | 'agent_id', Map<string, Sum>>;
  /** What could not be priced, by its unit (as JSON), minus refunds. */
  unpriced: Map<string, { payments: number; refunds: number; value: bigint; events: Refs }>;
  periods: Periods | null;
  /** Payments by when they began, spend by when they first counted. */
  by_period: Map<string, Sum>;
};

/** Adds up the payments of a pack. */
export function sumPayments(payments: Iterable<PaymentTold>, span: { from: number; to: number } | null): PaymentSums {
  const sums: PaymentSums = {
    all: nothing(),
    counting: nothing(),
    by: { rail: new Map(), status: new Map(), payee_id: new Map(), agent_id: new Map() },
    unpriced: new Map(),
    periods: span && periodsOf(span.from, span.to),
    by_period: new Map(),
  };
  for (const payment of payments) {
    const groups = names.map(name => sumOf(sums.by[name], payment[name]));
    for (const sum of [sums.all, ...groups]) addWhole(sum, payment);
    if (payment.counts) addWhole(sums.counting, payment);
    for (const amount of payment.unpriced) addUnpriced(sums, amount);
    if (sums.periods) addToPeriods(sums.by_period, sums.periods, payment);
  }
  return sums;
}

const names = ['rail', 'status', 'payee_id', 'agent_id'] as const;

const nothing = (): Sum => ({ payments: 0, spend_micro: 0n, unpriced: 0, events: noRefs() });

function sumOf(sums: Map<string, Sum>, key: string): Sum {
  const sum = sums.get(key) ?? nothing();
  sums.set(key, sum);
  return sum;
}

function addWhole(sum: Sum, payment: PaymentTold): void {
  sum.payments += 1;
  addSpend(sum, payment);
  for (const chain_seq of payment.chain_seqs) addRef(sum.events, chain_seq);
}

function addSpend(sum: Sum, { spend_micro, unpriced }: PaymentTold): void {
  sum.spend_micro += spend_micro;
  if (unpriced.length > 0) sum.unpriced += 1;
}

function addToPeriods(by_period: Map<string, Sum>, periods: Periods, payment: PaymentTold): void {
  const began = sumOf(by_period, periods.of(payment.started_at));
  began.payments += 1;
  const paid = sumOf(by_period, periods.of(payment.paid_at ?? payment.started_at));
  addSpend(paid, payment);
  for (const sum of new Set([began, paid])) for (const chain_seq of payment.chain_seqs) addRef(sum.events, chain_seq);
}

function addUnpriced({ unpriced }: PaymentSums, { unit, value, refund, chain_seq }: Unpriced): void {
  const key = JSON.stringify(unit);
  const sum = unpriced.get(key) ?? { payments: 0, refunds: 0, value: 0n, events: noRefs() };
  unpriced.set(key, sum);
  sum[refund ? 'refunds' : 'payments'] += 1;
  sum.value += refund ? -BigInt(value) : BigInt(value);
  addRef(sum.events, chain_seq);
}

/** The most columns of a chart; more would be thinner than a line. */
const MOST_PERIODS = 92;

/** Periods in UTC without gaps, labeled by their first day (`YYYY-MM-DD`, shorter for months and years). */
type Periods = { unit: 'Day' | 'Week' | 'Month' | 'Year'; labels: string[]; of(at: number): string };

/** The shortest periods of which the time from `from` to `to` (ms since 1970, inclusive) has no more than fit a chart. */
function periodsOf(from: number, to: number): Periods {
  for (const unit of ['Day', 'Week', 'Month'] as const) {
    const labels = labelsOf(unit, from, to);
    if (labels.length <= MOST_PERIODS) return { unit, labels, of: labelOf[unit] };
  }
  return { unit: 'Year', labels: labelsOf('Year', from, to), of: labelOf.Year };
}

const labelOf = {
  Day: (at: number) => timestamp(at).slice(0, 'YYYY-MM-DD'.length),
  // 1970 began on a Thursday; weeks begin on Mondays (ISO 8601).
  Week: (at: number) => labelOf.Day(Math.floor((at + 3 * DAY) / (7 * DAY)) * 7 * DAY - 3 * DAY),
  Month: (at: number) => timestamp(at).slice(0, 'YYYY-MM'.length),
  Year: (at: number) => timestamp(at).slice(0, 'YYYY'.length),
};

/** Stops as soon as there are too many, except for years, which are few. */
function labelsOf(unit: keyof typeof labelOf, from: number, to: number): string[] {
  const label = labelOf[unit];
  const last = label(to);
  const labels = [label(from)];
  for (let at = from; labels.at(-1) !== last && (unit === 'Year' || labels.length <= MOST_PERIODS); at += DAY) {
    const next = label(Math.min(at + DAY, to));
    if (next !== labels.at(-1)) labels.push(next);
  }
  return labels;
}
