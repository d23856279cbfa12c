import type { IngestHealth } from '#shared/keys/ingest_health.ts';
import { Filters } from '#api/dashboard/browser/parts/filters.tsx';
import { countText, wordsOf } from '#api/dashboard/browser/parts/format.ts';
import { List } from '#api/dashboard/browser/parts/list.tsx';
import { Empty, Page } from '#api/dashboard/browser/parts/page.tsx';
import type { Column } from '#api/dashboard/browser/parts/table.tsx';
import { MOST_ON_PAGE, type Narrowing, useRows } from '#api/dashboard/browser/reading/use_rows.ts';

const narrowings: Narrowing<'GET /v1/ingest-health'>[] = [{ name: 'key_id' }, { name: 'hours' }];

/** For those who run the senders: what came of the events of each key, and why some were rejected. */
export function Ingestion() {
  const list = useRows('GET /v1/ingest-health', narrowings, { limit: MOST_ON_PAGE });
  return (
    <Page title="Ingestion">
      <Filters
        of={[
          {
            name: 'hours',
            label: 'Period',
            kind: 'choice',
            of: ['168', '744'],
            none: 'Last 24 hours',
            names: { 168: 'Last 7 days', 744: 'Last 31 days' },
          },
          { name: 'key_id', label: 'API key', kind: 'pick', of: 'key' },
        ]}
      />
      <List
        caption="API keys, and how many of their events were accepted"
        list={list}
        columns={columns}
        empty={
          <Empty title="No API keys yet">
            <p>
              <a href="/api-keys">Create an API key</a>, then send events with it.
            </p>
          </Empty>
        }
      />
    </Page>
  );
}

const count = (name: string, of: (key: IngestHealth) => number, from?: 'middle' | 'wide'): Column<IngestHealth> => ({
  name,
  align: 'end',
  value: of,
  show: key => (of(key) === 0 ? <span class="quiet">0</span> : countText(of(key))),
  ...(from && { from }),
});

const requestsText = (count: number): string => `${countText(count)} ${count === 1 ? 'request' : 'requests'}`;

const columns: Column<IngestHealth>[] = [
  { name: 'API key', value: ({ name }) => name, show: ({ name }) => name },
  count('Accepted', key => key.accepted),
  count('Duplicates', key => key.duplicates, 'middle'),
  count('Conflicts', key => key.conflicts, 'middle'),
  count('Rejected', key => key.rejected),
  {
    name: 'Top rejection reasons',
    from: 'middle',
    show: ({ rejections }) =>
      rejections.length === 0 ? (
        <span class="quiet">None</span>
      ) : (
        <ul class="plain-list">
          {rejections.slice(0, 3).map(({ code, path, events }) => (
            <li key={code + path}>
              {wordsOf(code)} <code>{path}</code> <span class="quiet">× {countText(events)}</span>
            </li>
          ))}
        </ul>
      ),
  },
  count('Rate limited', key => key.rate_limited, 'wide'),
  {
    name: 'Lowest rate limit left',
    value: ({ least_left }) => least_left,
    align: 'end',
    from: 'wide',
    show: ({ least_left }) => (least_left === null ? <span class="quiet">No limit</span> : requestsText(least_left)),
  },
];
