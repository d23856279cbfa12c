import { eventColumns } from '#api/dashboard/browser/pages/events/event_columns.tsx';
import { Loaded, Section } from '#api/dashboard/browser/parts/page.tsx';
import { Table } from '#api/dashboard/browser/parts/table.tsx';
import { SLOW, useReading } from '#api/dashboard/browser/reading/use_reading.ts';

const columns = eventColumns.filter(({ name }) => name !== 'Agent');

/** The newest payments that were evaluated against a mandate, or those that breach it. */
export function MandatePayments({ id, breaches = false }: { id: string; breaches?: boolean }) {
  const of = { mandate_id: id, ...(breaches && { mandate_result: 'breach' as const }) };
  const known = useReading('GET /v1/events', { query: { ...of, limit: 10 } }, SLOW);
  const title = breaches ? 'Breaches' : 'Evaluated payments';
  return (
    <Section title={title} actions={<a href={`/events?${new URLSearchParams(of)}`}>View all</a>}>
      <Loaded known={known}>
        {({ data }) =>
          data.length === 0 ? (
            <p class="quiet">{breaches ? 'No breaches.' : 'No payments yet.'}</p>
          ) : (
            <Table
              caption={title}
              columns={columns}
              rows={data}
              idOf={event => (breaches ? `breach-${event.id}` : event.id)}
            />
          )
        }
      </Loaded>
    </Section>
  );
}
