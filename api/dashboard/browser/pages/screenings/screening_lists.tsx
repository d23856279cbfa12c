import type { ScreeningList } from '#shared/screening/store/screening_lists.ts';
import { Badge } from '#api/dashboard/browser/parts/badge.tsx';
import { countText } from '#api/dashboard/browser/parts/format.ts';
import { Empty, Loaded } from '#api/dashboard/browser/parts/page.tsx';
import { type Column, Table } from '#api/dashboard/browser/parts/table.tsx';
import { Time } from '#api/dashboard/browser/parts/values.tsx';
import { STILL, useReading } from '#api/dashboard/browser/reading/use_reading.ts';

/** What payees are screened against, and how old it is. */
export function ScreeningLists() {
  const reading = useReading('GET /v1/screening-lists', { query: { limit: 200 } }, STILL);
  return (
    <Loaded reading={reading}>
      {({ data }) =>
        data.length === 0 ? (
          <NoList />
        ) : (
          <>
            <Table caption="Loaded lists" columns={columns} rows={data} idOf={list => list.name} />
            {data.map(list => (
              <WhatWasRead key={`${list.scope} ${list.name}`} list={list} />
            ))}
          </>
        )
      }
    </Loaded>
  );
}

/** What the files of a list held, and what of it nobody can be matched by. */
function WhatWasRead({ list: { name, account } }: { list: ScreeningList }) {
  if (!account) return null;
  const { read, not_understood } = account;
  const missed = not_understood.reduce((sum, { items }) => sum + items, 0);
  const counts = Object.entries(read)
    .filter(([, count]) => count > 0)
    .map(([kind, count]) => `${countText(count)} ${kind}`);
  return (
    <details>
      <summary>
        {name}: {counts.join(', ')}; {missed === 0 ? 'complete' : `${countText(missed)} fields not read`}
      </summary>
      {not_understood.length > 0 && (
        <ul class="lines">
          {not_understood.map(({ label, items, examples }) => (
            <li key={label}>
              <strong>{countText(items)}</strong> {label}: {examples.join(' | ')}
            </li>
          ))}
        </ul>
      )}
    </details>
  );
}

const columns: Column<ScreeningList>[] = [
  { name: 'List', show: ({ name, scope }) => (scope === 'organization' ? `${name} (custom)` : name) },
  { name: 'Entries', align: 'end', show: ({ entries }) => countText(entries) },
  { name: 'Format', from: 'middle', show: ({ format }) => <code>{format}</code> },
  { name: 'Version', align: 'end', from: 'middle', show: ({ version }) => version },
  {
    name: 'Loaded',
    show: ({ loaded_at, stale }) => (
      <>
        <Time at={loaded_at} ago /> {stale && <Badge of="stale" title="Loaded more than 7 days ago. Load it again." />}
      </>
    ),
  },
];

const NoList = () => (
  <Empty title="No lists loaded. Payees are not screened.">
    <p>Payees stay pending until a list is loaded. Your operator loads lists from their publishers’ files:</p>
    <pre class="wrap" tabIndex={0} aria-label="Commands that load lists">
      {[
        'npm run -s admin -- list load --format ofac-sdn --name ofac ./ofac',
        'npm run -s admin -- list load --format un-xml --name un consolidated.xml',
      ].join('\n')}
    </pre>
  </Empty>
);
