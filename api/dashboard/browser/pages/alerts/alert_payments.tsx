import { useState } from 'preact/hooks';
import type { Alert } from '#shared/casework/alerts.ts';
import type { Amount, EventDetail } from '#shared/events/log/events.ts';
import { Badge } from '#api/dashboard/browser/parts/badge.tsx';
import { countText } from '#api/dashboard/browser/parts/format.ts';
import { ProblemNote } from '#api/dashboard/browser/parts/problem_note.tsx';
import { type Column, Table } from '#api/dashboard/browser/parts/table.tsx';
import { Money, Paid, Time } from '#api/dashboard/browser/parts/values.tsx';
import { useEvents } from './use_events.ts';

const FIRST = 12;

const columns: Column<EventDetail>[] = [
  {
    name: 'When',
    show: event => (
      <a href={`/events/${event.id}`}>
        <Time at={event.occurred_at} />
      </a>
    ),
  },
  { name: 'Amount', align: 'end', show: event => <Paid payment={event.payment} /> },
  {
    name: 'Payee',
    show: ({ payee_id, payment: { payee } }) =>
      payee_id ? <a href={`/payees/${payee_id}`}>{payee.name ?? payee.key}</a> : (payee.name ?? payee.key),
  },
  { name: 'Status', show: event => <Badge of={event.payment.status} /> },
  {
    name: 'Verification',
    from: 'middle',
    show: ({ verification }) => (verification ? <Badge of={verification.result} /> : <span class="quiet">none</span>),
  },
  {
    name: 'Mandate',
    from: 'middle',
    show: ({ mandate_evaluation }) =>
      mandate_evaluation ? (
        <a href={`/mandates/${mandate_evaluation.mandate_id}`}>
          <Badge of={mandate_evaluation.result} />
        </a>
      ) : (
        <span class="quiet">none</span>
      ),
  },
];

/** The payments behind an alert: what they come to, and each of the events, newest first. */
export function AlertPayments({ alert }: { alert: Alert }) {
  const { events, left, problem } = useEvents(alert.event_ids);
  const [all, setAll] = useState(false);
  const shown = all ? events : events.slice(0, FIRST);
  const total = alert.event_ids.length;
  return (
    <>
      <ProblemNote problem={problem} />
      {left > 0 ? (
        <p class="quiet">
          Reading {countText(total)} events… <progress max={total} value={events.length} aria-label="Events read" />
        </p>
      ) : (
        <Totals events={events} />
      )}
      <div class="payments">
        <Table caption="Payments behind the alert" columns={columns} rows={shown} idOf={event => event.id} />
      </div>
      {events.length > FIRST && (
        <p class="turn">
          <button type="button" aria-expanded={all} onClick={() => setAll(!all)}>
            {all ? 'Show fewer' : `Show all ${countText(total)}`}
          </button>
          {total === 100 && <span class="quiet">These are the newest 100; there may be older ones.</span>}
        </p>
      )}
    </>
  );
}

/** A payment counts once, as its latest event has it. */
function Totals({ events }: { events: EventDetail[] }) {
  const latest = new Map<string, EventDetail>();
  for (const event of events.toSorted((a, b) => a.occurred_at.localeCompare(b.occurred_at)))
    latest.set(event.payment.payment_id, event);
  const payments = [...latest.values()].map(event => event.payment);
  const statuses = [...Map.groupBy(payments, payment => payment.status)];
  const sums = [...Map.groupBy(payments, payment => unitOf(payment.amount)).values()].flatMap(group => sumOf(group));
  return (
    <p class="totals">
      <strong>{payments.length === 1 ? '1 payment' : `${countText(payments.length)} payments`}</strong>
      <span>
        in these events:{' '}
        {statuses.map(([status, of]) => `${countText(of.length)} ${status.replace('_', ' ')}`).join(', ')}
      </span>
      {sums.map(amount => (
        <span key={unitOf(amount)}>
          <Money amount={amount} /> together
        </span>
      ))}
    </p>
  );
}

const unitOf = ({ unit, currency, asset }: Amount): string =>
  [unit, currency, asset?.network, asset?.address].join(' ');

const sumOf = (payments: { amount: Amount }[]): Amount[] =>
  payments.slice(0, 1).map(({ amount }) => ({
    ...amount,
    value: String(payments.reduce((sum, payment) => sum + BigInt(payment.amount.value), 0n)),
  }));
