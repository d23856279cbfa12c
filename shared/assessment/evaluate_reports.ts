import { type BookEntry, type Books, putSpent } from './books.ts';
import type { MandateSet } from './mandate_set.ts';
import { isAfter, type Paid, positionOf, spentOn, type Spent, withPaidEvent } from './paid.ts';
import { type PaidMap, paidKey } from './paid_store.ts';
import type { Crossing, MandateVerdict, NamedMandate } from './verdict.ts';
import { evaluate } from '#shared/mandates/evaluate.ts';
import type { Evaluation, Position } from '#shared/mandates/evaluation.ts';
import { affectedUntil } from '#shared/mandates/windows.ts';
import type { Rates } from '#shared/values/money.ts';
import type { EventType } from '#shared/values/event_types.ts';
import type { ReportedEvent } from '#shared/events/log/reported_event.ts';

/** An event with its place in the log and the open mandates that were signed in its evidence. */
export type Report = { chain_seq: number; event: ReportedEvent; signed_hashes: readonly string[] };

/** Of these a payment is held against its mandates; others only change what it costs. */
const evaluated = new Set<EventType>(['payment.requested', 'payment.authorized', 'payment.settled']);

export const isEvaluated = ({ type }: { type: EventType }) => evaluated.has(type);

/** What one event means for one mandate: the payment as it was and as it is then. */
export type Step = {
  report: Report;
  mandate: NamedMandate;
  /** The event is held against the mandate; else it only changes what the payment costs. */
  judged: boolean;
  before: Paid | null;
  after: Paid | null;
  position: Position;
};

export type Plan = {
  steps: Step[];
  /** Events that name a mandate there is not. */
  unknown: Report[];
  /** The payments as they are after the steps. */
  paid: PaidMap;
};

/** Goes through reports in the order of the log and says which mandates each is held against. Changes `paid`. */
export function planEvaluations(reports: readonly Report[], mandates: MandateSet, paid: PaidMap): Plan {
  const plan: Plan = { steps: [], unknown: [], paid: new Map() };
  const held = heldByPayment(paid);
  for (const report of reports) {
    const { event, chain_seq } = report;
    const earlier = (held.get(event.payment_id) ?? []).filter(
      id => mandates.versionAt(id, event.occurred_at)?.agent_id === event.agent_id,
    );
    const firstPaid = earliest(earlier.map(id => paid.get(paidKey(id, event.payment_id))?.paid.paid ?? null));
    const at = firstPaid === null ? event.occurred_at : Math.min(firstPaid, event.occurred_at);
    const selected = mandates.select(event, at, report.signed_hashes);
    if (selected === null && isEvaluated(event)) plan.unknown.push(report);
    const applies = new Map((selected ?? []).map(mandate => [mandate.id, mandate]));
    for (const id of new Set([...applies.keys(), ...earlier])) {
      const mandate = applies.get(id) ?? mandates.versionAt(id, at);
      if (!mandate) continue;
      const key = paidKey(id, event.payment_id);
      const before = paid.get(key)?.paid ?? null;
      // Another agent's payment is a breach, and no use of the budget.
      const after = mandate.agent_id === event.agent_id ? withPaidEvent(before, { ...event, chain_seq }) : null;
      if (after) {
        const entry = { mandate_id: id, payment_id: event.payment_id, paid: after };
        paid.set(key, entry);
        plan.paid.set(key, entry);
        if (!before) held.set(event.payment_id, [...(held.get(event.payment_id) ?? []), id]);
      }
      const position = positionOf({ at: event.occurred_at, seq: chain_seq }, after);
      // What a payment was authorised under holds for what follows too, unless the event names another.
      const judged = isEvaluated(event) && (applies.has(id) || event.mandate_id === null);
      plan.steps.push({ report, mandate, judged, before, after, position });
    }
  }
  return plan;
}

function heldByPayment(paid: PaidMap): Map<string, string[]> {
  const held = new Map<string, string[]>();
  for (const { mandate_id, payment_id } of paid.values())
    held.set(payment_id, [...(held.get(payment_id) ?? []), mandate_id]);
  return held;
}

const earliest = (positions: readonly (Position | null)[]) =>
  positions.reduce<number | null>(
    (least, next) => (next && (least === null || next.at < least) ? next.at : least),
    null,
  );

/**
 * Payments of a mandate that have to be looked at again, because one was reported after them that was made before: those after `from`
 * and before `until` (null: all).
 */
export type Late = { from: Position; until: number | null };

export type Evaluated = { verdicts: Map<number, MandateVerdict[]>; late: Map<string, Late>; failures: number[] };

/** Holds the payments of a plan against their mandates, step by step, and enters what they cost into the books. */
export function evaluatePlan({ steps, unknown }: Plan, books: Books, mandates: MandateSet, rates: Rates): Evaluated {
  // Later payments may be held against another version, which looks further back.
  const endOf = (id: string, at: number) =>
    mandates
      .versionsFrom(id, at)
      .map(({ constraints, anchor }) => affectedUntil(constraints, at, anchor))
      .reduce((last, end) => (last === null || end === null ? null : Math.max(last, end)), at);
  const verdicts = new Map<number, MandateVerdict[]>();
  const late = new Map<string, Late>();
  const failures: number[] = [];
  const add = (chain_seq: number, verdict: MandateVerdict) =>
    verdicts.set(chain_seq, [...(verdicts.get(chain_seq) ?? []), verdict]);
  for (const step of steps) {
    const { report, mandate, position, judged } = step;
    const entry = books.entry(mandate.id);
    if (judged) {
      const evaluation = tryEvaluate(step, entry, rates);
      if (evaluation === null) failures.push(report.chain_seq);
      const { result, constraints, budgets } = evaluation ?? internal;
      add(report.chain_seq, { mandate, position, result, constraints, budgets, crossed: budgets.flatMap(crossings) });
    }
    for (const reopened of enter(step, entry, at => endOf(mandate.id, at)))
      late.set(mandate.id, widest(late.get(mandate.id), reopened));
    if (judged && (!entry.newest || isAfter(position, entry.newest))) entry.newest = position;
  }
  for (const report of unknown) add(report.chain_seq, unknownVerdict(report));
  return { verdicts, late, failures };
}

function tryEvaluate({ report, mandate, position }: Step, entry: BookEntry, rates: Rates): Evaluation | null {
  try {
    return evaluate(mandate, report.event, { position, meter: entry.book, rates });
  } catch {
    return null;
  }
}

const internal: Evaluation = {
  result: 'unresolved',
  constraints: [{ type: 'mandate.known', result: 'unresolved', code: 'internal', observed: null, limit: null }],
  budgets: [],
};

/**
 * Enters what the payment costs now in place of what it cost; answers with what that reopens, when others were judged that stand later.
 * What is reported in time reopens nothing, unless the payment costs more than before: what came back is for later payments to spend.
 */
function enter({ report, before, after }: Step, entry: BookEntry, endOf: (at: number) => number | null): Late[] {
  const former = spentOn(before);
  const spent = spentOn(after);
  const { newest } = entry;
  const moved = before?.paid && after?.paid && isAfter(before.paid, after.paid) ? before.paid : null;
  const changed = putSpent(entry, former, spent);
  if (!newest || !(changed || moved)) return [];
  const isNews = !isAfter(newest, { at: report.event.occurred_at, seq: report.chain_seq });
  if (isNews && !costsMore(former, spent)) return [];
  const places = [former, spent].flatMap(place => place?.position ?? []).filter(place => isAfter(newest, place));
  // Its own events stand where it stood.
  if (moved) places.push(moved);
  return places.map(from => {
    const until = endOf(from.at);
    return { from, until: until === null ? null : Math.max(until, from.at + 1) };
  });
}

/** Whether more is spent than before; of amounts that cannot be compared, it may be. */
function costsMore(former: Spent | null, spent: Spent | null): boolean {
  if (!former || !spent) return spent !== null;
  return former.denomination !== spent.denomination || spent.value > former.value;
}

const widest = (known: Late | undefined, late: Late): Late =>
  known
    ? {
        from: isAfter(known.from, late.from) ? late.from : known.from,
        until: known.until === null || late.until === null ? null : Math.max(known.until, late.until),
      }
    : late;

/** Thresholds of a budget, in percent. */
const THRESHOLDS = [80, 100];

/** The thresholds that a budget crosses with a payment. */
export const crossings = (use: Evaluation['budgets'][number]): Crossing[] =>
  THRESHOLDS.filter(percent => use.before < percent * 100 && use.after >= percent * 100).map(percent => ({
    ...use,
    percent,
  }));

/** An event names a mandate that there is not. */
export const unknownVerdict = ({ event, chain_seq }: Report): MandateVerdict => ({
  mandate: {
    id: event.mandate_id ?? '',
    agent_id: event.agent_id,
    version: 0,
    name: event.mandate_id ?? '',
    source: 'native',
    external_ref: null,
    state: 'active',
    valid_from: null,
    valid_until: null,
    anchor: event.occurred_at,
    human_presence: 'not_required',
    constraints: [],
  },
  position: { at: event.occurred_at, seq: chain_seq },
  result: 'unresolved',
  constraints: [
    { type: 'mandate.known', result: 'unresolved', code: 'mandate_unknown', observed: event.mandate_id, limit: null },
  ],
  budgets: [],
  crossed: [],
});
