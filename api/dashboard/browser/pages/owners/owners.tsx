import type { Owner } from '#shared/events/parties/owner_records.ts';
import { countryText, countText } from '#api/dashboard/browser/parts/format.ts';
import { FirstSteps } from '#api/dashboard/browser/parts/first_steps.tsx';
import { List } from '#api/dashboard/browser/parts/list.tsx';
import { Page } from '#api/dashboard/browser/parts/page.tsx';
import type { Column } from '#api/dashboard/browser/parts/table.tsx';
import { Time } from '#api/dashboard/browser/parts/values.tsx';
import { useRows } from '#api/dashboard/browser/reading/use_rows.ts';

/** The people and companies that agents act for, the newest first. */
export function Owners() {
  const list = useRows('GET /v1/owners', [{ name: 'sort' }, { name: 'direction' }]);
  return (
    <Page title="Owners">
      <List caption="Owners" list={list} columns={columns} sortedBy="first_seen_at" tools={{}} empty={<FirstSteps />} />
    </Page>
  );
}

const columns: Column<Owner>[] = [
  {
    name: 'Owner',
    sort: 'name',
    first: 'asc',
    show: ({ id, name, external_id }) => <a href={`/owners/${id}`}>{name ?? external_id ?? id}</a>,
  },
  { name: 'Your ID', from: 'middle', show: ({ external_id }) => external_id && <code>{external_id}</code> },
  {
    name: 'Country',
    value: ({ country }) => country && countryText(country),
    show: ({ country }) => country && countryText(country),
  },
  {
    name: 'Agents',
    align: 'end',
    value: ({ agent_count }) => agent_count,
    show: ({ id, agent_count }) => <a href={`/agents?owner_id=${id}`}>{countText(agent_count)}</a>,
  },
  {
    name: 'First seen',
    from: 'middle',
    sort: 'first_seen_at',
    show: ({ first_seen_at }) => <Time at={first_seen_at} />,
  },
  {
    name: 'Last seen',
    from: 'middle',
    value: ({ last_seen_at }) => last_seen_at,
    show: ({ last_seen_at }) => <Time at={last_seen_at} ago />,
  },
];
