import { type BookEntry, type Books, putSpent } from './books.ts';
import type { Plan, EventReport, EvaluationStep } from './evaluation_plan.ts';
import type { MandateSet } from './mandate_set.ts';
import { isAfter, isSteady, later, spentOn, type SpendRecord, standsAfter } from './paid.ts';
import type { Crossing, MandateVerdict } from './verdict.ts';
import { evaluate } from '#shared/mandates/evaluate.ts';
import type { BudgetUse, Evaluation, Position } from '#shared/mandates/evaluation.ts';
import { FOR_ALL } from '#shared/mandates/rule.ts';
import { affectedUntil } from '#shared/mandates/reach.ts';
import type { Late } from '#shared/events/ranges/rechecks.ts';
import type { Rates } from '#shared/values/price_in_usd.ts';

/** The result of a plan: verdicts by `chain_seq`, the ranges to assess again by mandate, and the events that evaluation failed on. */
export type JudgedPlan = { verdicts: Map<number, MandateVerdict[]>; late: Map<string, Late>; failures: number[] };

/** Evaluates the payments of a plan against their mandates, step by step, and enters what they cost into the books. */
export function judgePlan({ steps, unknown }: Plan, books: Books, mandates: MandateSet, rates: Rates): JudgedPlan {
  const verdicts = new Map<number, MandateVerdict[]>();
  const late = new Map<string, Late>();
  const failures: number[] = [];
  const addVerdict = ({ chain_seq }: EventReport, verdict: MandateVerdict) =>
    verdicts.set(chain_seq, [...(verdicts.get(chain_seq) ?? []), verdict]);
  for (const step of steps) {
    const { report, mandate, position, judged } = step;
    const entry = books.entry(mandate.id);
    if (judged) {
      const evaluation = tryEvaluate(step, entry, rates);
      if (evaluation === null) failures.push(report.chain_seq);
      const { result, constraints, budgets } = evaluation ?? internal;
      addVerdict(report, { mandate, position, result, constraints, budgets, crossed: budgets.flatMap(crossings) });
    }
    const { others, itself } = enterCost(step, entry);
    const reopened = [
      ...others.map(from => ({ from, until: endOfEffect(mandates, mandate.id, from.at) })),
      ...(itself ? [{ from: position, until: position.at + 1 }] : []),
    ];
    for (const each of reopened) late.set(mandate.id, widest(late.get(mandate.id) ?? each, each));
  }
  for (const report of unknown) addVerdict(report, unknownVerdict(report));
  return { verdicts, late, failures };
}

function tryEvaluate(
  { report, mandate, position, before }: EvaluationStep,
  entry: BookEntry,
  rates: Rates,
): Evaluation | null {
  try {
    const stood_later = standsAfter(before, position);
    return evaluate(mandate, report.event, { position, meter: entry.book, rates, stood_later });
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
 * Replaces what the payment cost by what it costs now; returns the positions after which `others` were judged by the former cost, and whether the
 * event `itself` was judged by less than others cost at its time. An event reported in time reopens nothing unless the payment costs more than
 * before: refunded money is for later payments to spend. One between others of its payment may change what it cost until then, whatever it costs now.
 */
function enterCost(
  { report, before, after, judged }: EvaluationStep,
  entry: BookEntry,
): { others: Position[]; itself: boolean } {
  const place = { at: report.event.occurred_at, seq: report.chain_seq };
  const { newest, changed } = entry;
  const itself = judged && changed !== null && isAfter(changed, place);
  if (judged || after) entry.newest = later(newest, place);
  if (!after?.paid) return { others: [], itself };
  const [former, spent] = [spentOn(before), spentOn(after)];
  // One more report of what never changed says nothing of what it cost in between.
  const leavesThePast =
    after === before || after.latest.seq === place.seq || (before !== null && isSteady(before) && isSteady(after));
  if (!putSpent(entry, former, spent) && leavesThePast) return { others: [], itself };
  if (former || !leavesThePast) entry.changed = later(changed, after.latest);
  if (!leavesThePast || (newest && isAfter(newest, place)))
    return { others: [before?.paid ?? after.paid, after.paid], itself };
  const isCounted = newest !== null && isAfter(newest, after.paid);
  return { others: isCounted && costsMore(former, spent) ? [after.paid] : [], itself };
}

/** Whether more is spent than before; true for amounts that cannot be compared. */
function costsMore(former: SpendRecord | null, spent: SpendRecord | null): boolean {
  if (!former || !spent) return spent !== null;
  return former.denomination !== spent.denomination || spent.value > former.value;
}

/** The time from which a payment at `at` affects no other; null: it always does. Later payments may be under a version that looks further back. */
export function endOfEffect(mandates: MandateSet, mandate_id: string, at: number): number | null {
  const ends = mandates
    .versionsFrom(mandate_id, at)
    .map(({ constraints, anchor }) => affectedUntil(constraints, at, anchor));
  return latest([at + 1, ...ends]);
}

/** The range of a mandate to assess again for either reason. */
export const widest = (a: Late, b: Late): Late => ({
  from: isAfter(a.from, b.from) ? b.from : a.from,
  until: latest([a.until, b.until]),
});

/** The latest of these times; null is after all others. */
const latest = (times: readonly (number | null)[]): number | null =>
  times.reduce((last, time) => (last === null || time === null ? null : Math.max(last, time)));

/** Thresholds of a budget, in percent. */
const THRESHOLDS = [80, 100];

/**
 * The thresholds that a budget crosses with a payment. The one payment that a mandate was given for, such as a signed cart, uses exactly
 * what it allows in all, and crosses none.
 */
export const crossings = (use: BudgetUse): Crossing[] =>
  use.period === FOR_ALL && use.at_once
    ? []
    : THRESHOLDS.filter(percent => use.before < percent * 100 && use.after >= percent * 100).map(percent => ({
        ...use,
        percent,
      }));

/** The verdict on an event that names a mandate that does not exist. */
export const unknownVerdict = ({ event, chain_seq }: EventReport): MandateVerdict => ({
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
