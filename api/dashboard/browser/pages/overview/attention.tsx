import type { DataOf } from '#api/client/call.ts';
import type { Incident } from '#shared/casework/incidents.ts';
import { Badge } from '#api/dashboard/browser/parts/badge.tsx';
import { countText, wordsOf } from '#api/dashboard/browser/parts/format.ts';
import { IncidentAgents } from '#api/dashboard/browser/pages/incidents/incident_totals.tsx';
import { Loaded, Section } from '#api/dashboard/browser/parts/page.tsx';
import { type Column, Table } from '#api/dashboard/browser/parts/table.tsx';
import { Tile } from '#api/dashboard/browser/parts/tile.tsx';
import { Time, UsdPaid } from '#api/dashboard/browser/parts/values.tsx';
import type { Reading } from '#api/dashboard/browser/reading/store.ts';
import { LIVE, SLOW, useReading } from '#api/dashboard/browser/reading/use_reading.ts';
import { isolated } from '#api/dashboard/browser/parts/isolated.ts';

type IncidentPage = DataOf<'GET /v1/incidents'>;

/** So many are counted; beyond, "100+" says enough. */
const MOST_COUNTED = 100;
const MOST_LISTED = 8;

/** What waits for somebody: open incidents by severity, screenings to review, cases that are not closed; and what is most urgent. */
export function Attention() {
  const incidents = {
    critical: useOpen('critical'),
    high: useOpen('high'),
    medium: useOpen('medium'),
    low: useOpen('low'),
  };
  const urgent = useReading(
    'GET /v1/incidents',
    { query: { state: 'open', snoozed: 'false', sort: 'urgency', limit: MOST_LISTED } },
    2 * LIVE,
  );
  const screenings = useReading(
    'GET /v1/screenings',
    { query: { state: 'potential_match', limit: MOST_COUNTED } },
    SLOW,
  );
  const open = useReading('GET /v1/cases', { query: { status: 'open', limit: MOST_COUNTED } }, SLOW);
  const investigating = useReading('GET /v1/cases', { query: { status: 'investigating', limit: MOST_COUNTED } }, SLOW);
  return (
    <>
      <div class="tiles">
        {Object.entries(incidents).map(([severity, reading]) => (
          <Tile
            key={severity}
            name={`${wordsOf(severity)} incidents`}
            value={countOf(reading)}
            href={`/incidents?severity=${severity}`}
          />
        ))}
        <Tile name="Screenings to review" value={countOf(screenings)} href="/screenings?state=potential_match" />
        <Tile name="Open cases" value={sumOf(open, investigating)} href="/cases" />
      </div>
      <Section title="Needs attention" actions={<a href="/incidents">View all incidents</a>}>
        <Loaded reading={urgent}>{({ data }) => <Urgent incidents={data} />}</Loaded>
      </Section>
    </>
  );
}

const useOpen = (severity: Incident['severity']): Reading<IncidentPage> =>
  useReading(
    'GET /v1/incidents',
    { query: { state: 'open', snoozed: 'false', severity, limit: MOST_COUNTED } },
    2 * LIVE,
  );

function countOf({ data }: Counted): string {
  if (!data) return '–';
  return `${countText(data.data.length)}${data.next_cursor === null ? '' : '+'}`;
}

type Counted = Reading<{ data: unknown[]; next_cursor: string | null }>;

/** How many there are on two lists together. */
function sumOf({ data: one }: Counted, { data: other }: Counted): string {
  if (!one || !other) return '–';
  const isMore = one.next_cursor !== null || other.next_cursor !== null;
  return `${countText(one.data.length + other.data.length)}${isMore ? '+' : ''}`;
}

function Urgent({ incidents }: { incidents: Incident[] }) {
  if (incidents.length === 0) return <p class="quiet">No open incidents.</p>;
  return <Table caption="Open incidents, most urgent first" columns={columns} rows={incidents} idOf={({ id }) => id} />;
}

const columns: Column<Incident>[] = [
  { name: 'Severity', show: ({ severity }) => <Badge of={severity} /> },
  {
    name: 'Incident',
    show: incident => (
      <>
        <a class="value" href={`/incidents/${incident.id}`}>
          {isolated(incident.title)}
        </a>
        <small class="only-narrow quiet">
          <IncidentAgents of={incident} />, <Time at={incident.last_at} ago />
        </small>
      </>
    ),
  },
  { name: 'Amount', align: 'end', from: 'wide', show: ({ amount_usd_micro }) => <UsdPaid micro={amount_usd_micro} /> },
  { name: 'Agent', from: 'middle', show: incident => <IncidentAgents of={incident} /> },
  { name: 'Last activity', from: 'middle', show: ({ last_at }) => <Time at={last_at} ago /> },
];
