import { useState } from 'preact/hooks';
import type { Alert } from '#shared/casework/alerts.ts';
import type { AlertEvidence } from '#shared/casework/alert_evidence.ts';
import type { EventDetail } from '#shared/events/log/events.ts';
import { formatUsdMicro } from '#shared/values/money.ts';
import { Badge } from '#api/dashboard/browser/parts/badge.tsx';
import { countText } from '#api/dashboard/browser/parts/format.ts';
import { Loaded } from '#api/dashboard/browser/parts/page.tsx';
import { ProblemNote } from '#api/dashboard/browser/parts/problem_note.tsx';
import { type Column, Table } from '#api/dashboard/browser/parts/table.tsx';
import { Paid, Time } from '#api/dashboard/browser/parts/values.tsx';
import { useReading } from '#api/dashboard/browser/reading/use_reading.ts';
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

/** The payments that an alert's explanation is about, as they stood when it was written, and what else was added to the alert. */
export function AlertPayments({ alert: { id } }: { alert: Alert }) {
  const known = useReading('GET /v1/alerts/{id}/evidence', { params: { id } });
  return (
    <Loaded known={known}>
      {evidence => (
        <>
          <Totals evidence={evidence} />
          <EventTable caption="Payments behind the alert" ids={evidence.event_ids} />
          {evidence.other_event_ids.length > 0 && (
            <details>
              <summary>Also added to this alert, and not in these numbers</summary>
              <EventTable caption="Also added to the alert" ids={evidence.other_event_ids} />
            </details>
          )}
        </>
      )}
    </Loaded>
  );
}

function Totals({ evidence: { payments, settled, spend_usd_micro } }: { evidence: AlertEvidence }) {
  return (
    <p class="totals">
      <strong>{payments === 1 ? '1 payment' : `${countText(payments)} payments`}</strong>
      <span>{settled === payments ? 'settled' : `${countText(settled)} settled`}</span>
      {spend_usd_micro !== '0' && <span>{formatUsdMicro(BigInt(spend_usd_micro))} together</span>}
      <span class="quiet">as they stood when this was written</span>
    </p>
  );
}

/** Events, newest first; the first of them until all are asked for. */
function EventTable({ caption, ids }: { caption: string; ids: string[] }) {
  const [all, setAll] = useState(false);
  const asked = all ? ids : ids.slice(0, FIRST);
  const { events, left, problem } = useEvents(asked);
  return (
    <>
      <ProblemNote problem={problem} />
      {left > 0 && (
        <p class="quiet">
          Reading {countText(asked.length)} events…{' '}
          <progress max={asked.length} value={events.length} aria-label="Events read" />
        </p>
      )}
      <div class="payments">
        <Table caption={caption} columns={columns} rows={events} idOf={event => event.id} />
      </div>
      {ids.length > FIRST && (
        <p class="turn">
          <button type="button" aria-expanded={all} onClick={() => setAll(!all)}>
            {all ? 'Show fewer' : `Show all ${countText(ids.length)}`}
          </button>
        </p>
      )}
    </>
  );
}
