import type { MandateSet } from './mandate_set.ts';
import { type PaymentSum, positionOf, withPaidEvent } from './paid.ts';
import { type PaidMap, paidKey } from './paid_store.ts';
import type { NamedMandate } from './verdict.ts';
import type { Position } from '#shared/mandates/evaluation.ts';
import type { EventType } from '#shared/values/event_types.ts';
import type { ReportedEvent } from '#shared/events/log/reported_event.ts';

/** The evaluations of a range of events against mandates, in order. */
export type Plan = {
  steps: EvaluationStep[];
  /** Events that name a mandate that does not exist. */
  unknown: EventReport[];
  /** The payments as they are after the steps. */
  paid: PaidMap;
};

/** What one event means for one mandate: the payment before and after it. */
export type EvaluationStep = {
  report: EventReport;
  mandate: NamedMandate;
  /** The event is checked against the mandate; otherwise it only changes what the payment costs. */
  judged: boolean;
  before: PaymentSum | null;
  after: PaymentSum | null;
  position: Position;
};

/** An event with its place in the log and the open mandates that were signed in its evidence. */
export type EventReport = { chain_seq: number; event: ReportedEvent; signed_hashes: readonly string[] };

/** Plans which mandates each report is checked against; the reports are in the order of the log. Changes `paid`. */
export function planEvaluations(reports: readonly EventReport[], mandates: MandateSet, paid: PaidMap): Plan {
  const plan: Plan = { steps: [], unknown: [], paid: new Map() };
  const mandate_ids = mandatesByPayment(paid);
  for (const report of reports) {
    const { event } = report;
    const { payment_id } = event;
    const paidUnder = (id: string) => paid.get(paidKey(id, payment_id))?.paid ?? null;
    const earlier_ids = (mandate_ids.get(payment_id) ?? []).filter(
      id => mandates.versionAt(id, event.occurred_at)?.agent_id === event.agent_id,
    );
    const at = Math.min(event.occurred_at, ...earlier_ids.flatMap(id => paidUnder(id)?.paid?.at ?? []));
    const selected = mandates.select(event, at, report.signed_hashes);
    if (selected === null && isEvaluated(event)) plan.unknown.push(report);
    const applying = new Map((selected ?? []).map(mandate => [mandate.id, mandate]));
    for (const id of new Set([...applying.keys(), ...earlier_ids])) {
      const mandate = applying.get(id) ?? mandates.versionAt(id, at);
      if (!mandate) continue;
      // A mandate that came into force after what is reported now had nothing to say of it, as when the reports come in time.
      const sum = paidUnder(id);
      const begun = sum?.paid ?? sum?.latest;
      if (
        !applying.has(id) &&
        event.mandate_id === null &&
        mandate.source === 'native' &&
        begun &&
        event.occurred_at < begun.at
      )
        continue;
      // The mandate a payment was authorized under also applies to its later events, unless they name another.
      const judged = isEvaluated(event) && (applying.has(id) || event.mandate_id === null);
      const step = stepOf(report, mandate, judged, paidUnder(id));
      plan.steps.push(step);
      if (!step.after) continue;
      const entry = { mandate_id: id, payment_id, paid: step.after };
      paid.set(paidKey(id, payment_id), entry);
      plan.paid.set(paidKey(id, payment_id), entry);
      if (!step.before) mandate_ids.set(payment_id, [...(mandate_ids.get(payment_id) ?? []), id]);
    }
  }
  return plan;
}

function stepOf(
  report: EventReport,
  mandate: NamedMandate,
  judged: boolean,
  before: PaymentSum | null,
): EvaluationStep {
  const { event, chain_seq } = report;
  // Another agent's payment is a breach, and uses none of the budget.
  const after = mandate.agent_id === event.agent_id ? withPaidEvent(before, { ...event, chain_seq }) : null;
  const position = positionOf({ at: event.occurred_at, seq: chain_seq }, after);
  return { report, mandate, judged, before, after, position };
}

function mandatesByPayment(paid: PaidMap): Map<string, string[]> {
  const mandate_ids = new Map<string, string[]>();
  for (const { mandate_id, payment_id } of paid.values())
    mandate_ids.set(payment_id, [...(mandate_ids.get(payment_id) ?? []), mandate_id]);
  return mandate_ids;
}

/** Event types that are checked against mandates; others only change what a payment costs. */
const evaluated = new Set<EventType>(['payment.requested', 'payment.authorized', 'payment.settled']);

/** Whether an event is checked against mandates. An erased one is not: its verdicts stay as they were. */
export const isEvaluated = ({ type, erased }: { type: EventType; erased?: true }) =>
  erased !== true && evaluated.has(type);
