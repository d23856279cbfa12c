import { type BookEntry, paymentOf } from '#shared/assessment/books.ts';
import { isAfter, type SpendRecord } from '#shared/assessment/paid.ts';
import type { ReportedEvent } from '#shared/events/log/reported_event.ts';
import { createBook } from '#shared/mandates/book.ts';
import { evaluate } from '#shared/mandates/evaluate.ts';
import type { Evaluation, JudgedMandate, Meter, Position } from '#shared/mandates/evaluation.ts';
import { partitionPoint } from '#shared/values/partition_point.ts';
import type { ChangedPayment } from './costs_over_time.ts';

/** An event of a payment: `place` is its own, `position` where the payment stands. */
export type Placed = {
  chain_seq: number;
  event: ReportedEvent;
  place: Position;
  position: Position;
  mandate: JudgedMandate;
  stood_later: boolean;
};

/**
 * Which of these events broke their mandate at some moment from their own on, by what other payments cost then, and how they came out at the first
 * such moment, by chain_seq. What comes back later is for later payments to spend, and excuses no earlier one; what came back before does.
 * `entry` has what is known now, and `others` the payments that cost something else before.
 */
export function brokenThen(
  events: readonly Placed[],
  entry: BookEntry,
  others: readonly ChangedPayment[],
): ReadonlyMap<number, Evaluation> {
  const costs = costsAt(entry, others);
  const broken = new Map<number, Evaluation>();
  const steps = others
    .flatMap(other => other.costs.map(({ place, cost }): Step => ({ other, place, cost })))
    .toSorted((one, two) => (isAfter(one.place, two.place) ? 1 : -1));
  const judged = events.map(each => ({
    ...each,
    begin: partitionPoint(steps.length, index => isAfter(steps[index]?.place ?? each.place, each.place)),
  }));
  const judge = ({ event, mandate, position, stood_later }: Placed) =>
    evaluate(mandate, event, { position, meter: costs.meter, rates: entry.rates, stood_later });
  const apply = (from: number, to: number) => {
    for (const { other, cost } of steps.slice(from, to)) costs.enter(other, cost);
  };

  /** Goes on from where `low` steps are taken to where `high` are; a stretch in which the most that was ever spent breaks nothing is passed over. */
  function search(low: number, high: number, among: readonly Judged[]): void {
    const begun = among.filter(({ begin, chain_seq }) => begin <= high && !broken.has(chain_seq));
    if (low === high) {
      for (const each of begun) {
        const evaluation = judge(each);
        if (evaluation.result === 'breach') broken.set(each.chain_seq, evaluation);
      }
      return;
    }
    const possible = begun.length === 0 ? begun : atMost(low, high, begun);
    if (possible.length === 0) return apply(low, high);
    const middle = (low + high) >>> 1;
    search(low, middle, possible);
    apply(middle, middle + 1);
    search(middle + 1, high, possible);
  }

  /** Those of the events that the most which was spent in a stretch would break. */
  function atMost(low: number, high: number, begun: readonly Judged[]): readonly Judged[] {
    const former = new Map<ChangedPayment, SpendRecord | null>();
    const most = new Map<ChangedPayment, SpendRecord | null>();
    for (const { other, cost } of steps.slice(low, high)) {
      const so_far = most.get(other);
      const larger = largest(so_far === undefined ? costs.of(other) : so_far, cost);
      if (larger === 'incomparable') return begun;
      former.set(other, costs.of(other));
      most.set(other, larger);
    }
    for (const [other, cost] of most) costs.enter(other, cost);
    const possible = begun.filter(each => judge(each).result === 'breach');
    for (const [other, cost] of former) costs.enter(other, cost);
    return possible;
  }

  const first = Math.min(...judged.map(({ begin }) => begin), steps.length);
  apply(0, first);
  search(first, steps.length, judged);
  return broken;
}

type Judged = Placed & {
  /** How many steps were taken by its time. */
  begin: number;
};

/** From a place on, a payment costs this. */
type Step = { other: ChangedPayment; place: Position; cost: SpendRecord | null };

/** A meter by which `others` cost what was entered last, and all the rest what it costs now; at first they do, too. */
function costsAt({ book, rates }: BookEntry, others: readonly ChangedPayment[]) {
  const [now, then] = [createBook(rates), createBook(rates)];
  const entered = new Map<ChangedPayment, SpendRecord | null>();
  for (const other of others) {
    entered.set(other, other.now);
    for (const each of [now, then]) if (other.now) each.put(paymentOf(other.now));
  }
  const meter: Meter = {
    before(...asked) {
      const [all, less, more] = [book.before(...asked), now.before(...asked), then.before(...asked)];
      return {
        payments: all.payments - less.payments + more.payments,
        value: all.value - less.value + more.value,
        unpriced: all.unpriced - less.unpriced + more.unpriced,
      };
    },
  };
  const of = (other: ChangedPayment) => entered.get(other) ?? null;
  return {
    meter,
    of,
    enter(other: ChangedPayment, cost: SpendRecord | null) {
      const former = of(other);
      if (former) then.remove(paymentOf(former));
      if (cost) then.put(paymentOf(cost));
      entered.set(other, cost);
    },
  };
}

/** What costs at least as much as either of two costs of a payment. */
function largest(a: SpendRecord | null, b: SpendRecord | null): SpendRecord | null | 'incomparable' {
  if (!a || !b) return a ?? b;
  if (a.denomination !== b.denomination) return 'incomparable';
  const [least, most] = (a.usd_micro ?? 0n) > (b.usd_micro ?? 0n) ? [b, a] : [a, b];
  return { ...most, value: least.value > most.value ? least.value : most.value };
}
