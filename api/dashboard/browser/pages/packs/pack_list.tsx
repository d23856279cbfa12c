import type { Pack } from '#shared/packs/store/packs.ts';
import { Badge } from '#api/dashboard/browser/parts/badge.tsx';
import { type Filter, Filters } from '#api/dashboard/browser/parts/filters.tsx';
import { bytesText, countText, percentText } from '#api/dashboard/browser/parts/format.ts';
import { List } from '#api/dashboard/browser/parts/list.tsx';
import { Empty, Page } from '#api/dashboard/browser/parts/page.tsx';
import { periodFilters } from '#api/dashboard/browser/parts/period.ts';
import type { Column } from '#api/dashboard/browser/parts/table.tsx';
import { useQuery } from '#api/dashboard/browser/parts/use_query.ts';
import { Time } from '#api/dashboard/browser/parts/values.tsx';
import { useRows } from '#api/dashboard/browser/reading/use_rows.ts';
import { NewPackDialog } from './new_pack.tsx';
import { kindName, packKinds, packName } from './pack_kinds.ts';

/** The packs and reports that were asked for. */
export function PackList() {
  const { query, set } = useQuery();
  const list = useRows('GET /v1/packs', [...filters, { name: 'direction' }]);
  const build = (
    <button type="button" class="main" onClick={() => set({ new: '1' })}>
      Build pack
    </button>
  );
  return (
    <Page title="Packs" actions={build}>
      <Filters of={filters} />
      <List
        caption="Packs"
        list={list}
        columns={columns}
        tools={{}}
        empty={
          <Empty title="No packs yet">
            <p>
              A pack is a ZIP file with events, their evidence, and a report. It proves to anyone that the events were
              recorded and never changed. Build one from a case, an alert, a payment, or an agent’s activity.
            </p>
          </Empty>
        }
      />
      {query['new'] && <NewPackDialog />}
    </Page>
  );
}

const filters: Filter<'GET /v1/packs'>[] = [
  { name: 'state', label: 'State', kind: 'choice', of: ['queued', 'building', 'ready', 'failed', 'expired'] },
  { name: 'kind', label: 'Kind', kind: 'choice', of: packKinds.map(({ kind }) => kind) },
  ...periodFilters,
];

const columns: Column<Pack>[] = [
  {
    name: 'Pack',
    value: packName,
    show: pack => (
      <div class="two-lines">
        <a class="opens" href={`/packs/${pack.id}`}>
          {packName(pack)}
        </a>
        <small class="quiet">{kindName(pack.kind)}</small>
      </div>
    ),
  },
  { name: 'State', value: ({ state }) => state, show: pack => <PackProgress pack={pack} /> },
  {
    name: 'Events',
    align: 'end',
    from: 'middle',
    value: ({ event_count }) => event_count,
    show: ({ event_count }) => countText(event_count),
  },
  {
    name: 'Size',
    value: ({ size_bytes }) => size_bytes,
    align: 'end',
    from: 'middle',
    show: ({ size_bytes }) => (size_bytes === null ? <span class="quiet">–</span> : bytesText(size_bytes)),
  },
  {
    name: 'Requested',
    from: 'middle',
    sort: 'created_at',
    show: ({ created_at }) => <Time at={created_at} ago />,
  },
];

/** The state of a pack, and how far it is while it is built. */
const PackProgress = ({ pack: { state, progress } }: { pack: Pack }) => (
  <>
    <Badge of={state} />
    {state === 'building' && (
      <>
        {' '}
        <progress class="short" max={1} value={progress} aria-label={`${percentText(progress)} built`} />
      </>
    )}
  </>
);
