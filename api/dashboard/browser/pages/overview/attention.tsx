import type { DataOf } from '#api/client.ts';
import type { Alert } from '#shared/casework/alerts.ts';
import { Badge } from '#api/dashboard/browser/parts/badge.tsx';
import { countText, wordsOf } from '#api/dashboard/browser/parts/format.ts';
import { AgentName } from '#api/dashboard/browser/parts/names.tsx';
import { Loaded, Section } from '#api/dashboard/browser/parts/page.tsx';
import { type Column, Table } from '#api/dashboard/browser/parts/table.tsx';
import { Tile } from '#api/dashboard/browser/parts/tile.tsx';
import { Time } from '#api/dashboard/browser/parts/values.tsx';
import type { Reading } from '#api/dashboard/browser/reading/store.ts';
import { LIVE, SLOW, useReading } from '#api/dashboard/browser/reading/use_reading.ts';

type AlertPage = DataOf<'GET /v1/alerts'>;

/** So many are counted; beyond, "100+" says enough. */
const MOST_COUNTED = 100;
const MOST_LISTED = 8;

/** What waits for somebody: open alerts by severity, screenings to review, cases that are not closed; and the gravest alerts. */
export function Attention() {
  const alerts = {
    critical: useOpen('critical'),
    high: useOpen('high'),
    medium: useOpen('medium'),
    low: useOpen('low'),
  };
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
        {Object.entries(alerts).map(([severity, known]) => (
          <Tile
            key={severity}
            name={`Open alerts, ${severity}`}
            value={countOf(known)}
            href={`/alerts?state=open&severity=${severity}`}
          />
        ))}
        <Tile name="Screenings to review" value={countOf(screenings)} href="/screenings?state=potential_match" />
        <Tile name="Cases open" value={countOf(open)} href="/cases?status=open">
          {countOf(investigating)} under investigation
        </Tile>
      </div>
      <Section title="Newest open alerts, critical and high" actions={<a href="/alerts?state=open">All open alerts</a>}>
        <Loaded known={alerts.critical}>
          {critical => (
            <Loaded known={alerts.high}>{high => <Gravest alerts={[...critical.data, ...high.data]} />}</Loaded>
          )}
        </Loaded>
      </Section>
    </>
  );
}

const useOpen = (severity: Alert['severity']): Reading<AlertPage> =>
  useReading('GET /v1/alerts', { query: { state: 'open', severity, limit: MOST_COUNTED } }, 2 * LIVE);

function countOf({ data }: Reading<{ data: unknown[]; next_cursor: string | null }>): string {
  if (!data) return '–';
  return `${countText(data.data.length)}${data.next_cursor === null ? '' : '+'}`;
}

function Gravest({ alerts }: { alerts: Alert[] }) {
  if (alerts.length === 0) return <p class="quiet">None. Nothing grave waits for you.</p>;
  const newest = alerts.toSorted((one, other) => Date.parse(other.created_at) - Date.parse(one.created_at));
  return (
    <Table caption="Newest open alerts" columns={columns} rows={newest.slice(0, MOST_LISTED)} idOf={({ id }) => id} />
  );
}

const columns: Column<Alert>[] = [
  { name: 'Severity', show: ({ severity }) => <Badge of={severity} /> },
  {
    name: 'Alert',
    show: ({ id, title, agent_id, created_at }) => (
      <>
        <a class="value" href={`/alerts/${id}`}>
          {title}
        </a>
        <small class="only-narrow quiet">
          <AgentName id={agent_id} />, <Time at={created_at} ago />
        </small>
      </>
    ),
  },
  { name: 'Found by', from: 'wide', show: ({ detector }) => wordsOf(detector) },
  { name: 'Agent', from: 'middle', show: ({ agent_id }) => <AgentName id={agent_id} /> },
  { name: 'Raised', from: 'middle', show: ({ created_at }) => <Time at={created_at} ago /> },
];
