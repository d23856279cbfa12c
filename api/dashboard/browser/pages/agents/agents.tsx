import type { Agent } from '#shared/events/parties/agent_records.ts';
import { Badge } from '#api/dashboard/browser/parts/badge.tsx';
import { type Filter, Filters } from '#api/dashboard/browser/parts/filters.tsx';
import { FirstSteps } from '#api/dashboard/browser/parts/first_steps.tsx';
import { countText } from '#api/dashboard/browser/parts/format.ts';
import { List } from '#api/dashboard/browser/parts/list.tsx';
import { OwnerName } from '#api/dashboard/browser/parts/names.tsx';
import { Page } from '#api/dashboard/browser/parts/page.tsx';
import type { Column } from '#api/dashboard/browser/parts/table.tsx';
import { Time, Usd } from '#api/dashboard/browser/parts/values.tsx';
import { useRows } from '#api/dashboard/browser/reading/use_rows.ts';

/** Every agent that was ever reported, the newest first or as it is asked for; by spend those that spent something lately. */
export function Agents() {
  const list = useRows('GET /v1/agents', [...filters, { name: 'direction' }]);
  return (
    <Page title="Agents">
      <Filters of={filters} />
      <List
        caption="Agents"
        list={list}
        columns={agentColumns}
        sortedBy="first_seen_at"
        tools={{}}
        empty={<FirstSteps />}
      />
    </Page>
  );
}

const filters: Filter<'GET /v1/agents'>[] = [
  { name: 'q', label: 'Search', kind: 'search', hint: 'Name or ID' },
  { name: 'label', label: 'Label', kind: 'text', hint: 'procurement' },
  { name: 'state', label: 'State', kind: 'choice', of: ['active', 'dormant'] },
  {
    name: 'sort',
    label: 'Sort by',
    kind: 'choice',
    of: ['name', 'spend', 'last_seen_at'],
    none: 'Newest',
    names: { spend: 'Spend, 30 days', last_seen_at: 'Last seen' },
  },
  { name: 'owner_id', label: 'Owner', kind: 'pick', of: 'owner' },
];

export const agentColumns: Column<Agent>[] = [
  {
    name: 'Agent',
    sort: 'name',
    first: 'asc',
    show: ({ id, name, external_id, labels }) => (
      <>
        <a class="name" href={`/agents/${id}`}>
          {name ?? external_id ?? id}
        </a>
        {labels.map(label => (
          <span key={label}>
            {' '}
            <Badge of="label" label={label} />
          </span>
        ))}
      </>
    ),
  },
  { name: 'Owner', from: 'wide', show: ({ owner_id }) => <OwnerName id={owner_id} /> },
  { name: 'State', from: 'middle', value: ({ state }) => state, show: ({ state }) => <Badge of={state} /> },
  { name: 'Framework', from: 'wide', value: ({ framework }) => framework, show: ({ framework }) => framework },
  {
    name: 'Open alerts',
    align: 'end',
    value: ({ open_alerts }) => open_alerts,
    show: ({ id, open_alerts }) =>
      open_alerts > 0 ? <a href={`/alerts?agent_id=${id}`}>{countText(open_alerts)}</a> : '0',
  },
  {
    name: 'Events',
    from: 'middle',
    align: 'end',
    value: ({ event_count }) => event_count,
    show: ({ event_count }) => countText(event_count),
  },
  {
    name: 'Spend, 30 days',
    align: 'end',
    sort: 'spend',
    show: ({ spend_usd_minor_30d }) => <Usd cents={spend_usd_minor_30d} />,
  },
  {
    name: 'Last seen',
    from: 'middle',
    show: ({ last_seen_at }) => <Time at={last_seen_at} ago />,
  },
];
