import { Loaded, Section } from '#api/dashboard/browser/parts/page.tsx';
import { Table } from '#api/dashboard/browser/parts/table.tsx';
import { useReading } from '#api/dashboard/browser/reading/use_reading.ts';
import { eventColumns } from './event_columns.tsx';

type Of = { agent_id: string } | { owner_id: string } | { payee_id: string };

/** The newest events of somebody, and the way to all of them. `without`: the column that would say the same in each row. */
export function LatestEvents({ of, all, without }: { of: Of; all: string; without?: 'Agent' | 'Payee' }) {
  const reading = useReading('GET /v1/events', { query: { ...of, limit: 10 } });
  return (
    <Section title="Latest events" actions={<a href={all}>All events</a>}>
      <Loaded reading={reading}>
        {({ data }) =>
          data.length === 0 ? (
            <p class="quiet">No events yet</p>
          ) : (
            <Table
              caption="Latest events"
              columns={eventColumns.filter(({ name }) => name !== without)}
              rows={data}
              idOf={({ id }) => id}
            />
          )
        }
      </Loaded>
    </Section>
  );
}
