import { useState } from 'preact/hooks';
import type { Alert } from '#shared/casework/alerts.ts';
import type { AlertEvidence } from '#shared/casework/alert_evidence.ts';
import type { Event } from '#shared/events/log/events.ts';
import { formatUsdMicro } from '#shared/values/money.ts';
import { countText } from '#api/dashboard/browser/parts/format.ts';
import { Loaded } from '#api/dashboard/browser/parts/page.tsx';
import { type Column, Table } from '#api/dashboard/browser/parts/table.tsx';
import { useReading } from '#api/dashboard/browser/reading/use_reading.ts';
import { eventColumns } from '#api/dashboard/browser/pages/events/event_columns.tsx';

const FIRST = 12;
/** So many are read at once. */
const MOST = 200;

/** A column in which nothing stands, or the same agent everywhere, has no room beside the rest of the page. */
const columnsOf = (events: Event[]): Column<Event>[] =>
  eventColumns.filter(({ name }) => {
    if (name === 'Verification') return events.some(({ verification }) => verification !== null);
    if (name === 'Mandate') return events.some(({ mandate_evaluation }) => mandate_evaluation !== null);
    if (name === 'Agent') return new Set(events.map(({ agent_id }) => agent_id)).size > 1;
    return true;
  });

/** The payments that an alert's explanation is about, as they stood when it was written, and what else was added to the alert. */
export function AlertPayments({ alert: { id } }: { alert: Alert }) {
  const reading = useReading('GET /v1/alerts/{id}/evidence', { params: { id } });
  const events = useReading('GET /v1/events', { query: { alert_id: id, limit: MOST } });
  return (
    <Loaded reading={reading}>
      {evidence => (
        <>
          <Totals evidence={evidence} />
          <Loaded reading={events}>
            {({ data: sent, next_cursor }) => {
              const data = sent.toSorted((a, b) => b.occurred_at.localeCompare(a.occurred_at));
              const others = new Set(evidence.other_event_ids);
              return (
                <>
                  <EventTable caption="Related payments" events={data.filter(event => !others.has(event.id))} />
                  {others.size > 0 && (
                    <details open={others.size <= FIRST}>
                      <summary>
                        {others.size === 1 ? '1 event' : `${countText(others.size)} events`} more, not counted above
                      </summary>
                      <EventTable caption="Also linked" events={data.filter(event => others.has(event.id))} />
                    </details>
                  )}
                  {next_cursor && (
                    <p class="turn">
                      <a href={`/events?alert_id=${id}`}>View all in Events</a>
                    </p>
                  )}
                </>
              );
            }}
          </Loaded>
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
      {spend_usd_micro !== '0' && <span>{formatUsdMicro(BigInt(spend_usd_micro))} total</span>}
      <span class="quiet">as of when the alert was raised</span>
    </p>
  );
}

/** Events, newest first; the first of them until all are asked for. */
function EventTable({ caption, events }: { caption: string; events: Event[] }) {
  const [all, setAll] = useState(false);
  return (
    <>
      <Table
        caption={caption}
        columns={columnsOf(events)}
        rows={all ? events : events.slice(0, FIRST)}
        idOf={event => event.id}
      />
      {events.length > FIRST && (
        <p class="turn">
          <button type="button" aria-expanded={all} onClick={() => setAll(!all)}>
            {all ? 'Show fewer' : `Show all ${countText(events.length)}`}
          </button>
        </p>
      )}
    </>
  );
}
