import type { Alert } from '#shared/casework/alerts.ts';
import { Badge } from './badge.tsx';
import { Loaded, Section } from './page.tsx';
import { type Column, Table } from './table.tsx';
import { Time } from './values.tsx';
import { useReading } from '#api/dashboard/browser/reading/use_reading.ts';
import { isolated } from './isolated.ts';

/** The alerts about an event, or the open ones of an agent. `none`: say so where there are none; else the part is left out. */
export function AlertsOf({
  of,
  title,
  none,
  all,
}: {
  of: { event_id: string } | { agent_id: string; state: Alert['state'] };
  title: string;
  none: boolean;
  /** Where all of them are. */
  all?: string;
}) {
  const reading = useReading('GET /v1/alerts', { query: { ...of, limit: 20 } });
  if (!none && reading.data?.data.length === 0) return null;
  return (
    <Section title={title} actions={all && <a href={all}>All alerts</a>}>
      <Loaded reading={reading}>
        {({ data }) =>
          data.length === 0 ? (
            <p class="quiet">None.</p>
          ) : (
            <Table caption={title} columns={alertColumns} rows={data} idOf={({ id }) => id} />
          )
        }
      </Loaded>
    </Section>
  );
}

const alertColumns: Column<Alert>[] = [
  { name: 'Severity', show: ({ severity }) => <Badge of={severity} /> },
  { name: 'Alert', show: ({ id, title }) => <a href={`/alerts/${id}`}>{isolated(title)}</a> },
  { name: 'State', from: 'middle', show: ({ state }) => <Badge of={state} /> },
  { name: 'Raised', from: 'middle', show: ({ created_at }) => <Time at={created_at} ago /> },
];
