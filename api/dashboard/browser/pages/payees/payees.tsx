import type { Payee } from '#shared/events/parties/payee_records.ts';
import { countries } from '#shared/values/countries.ts';
import type { PayeeType } from '#shared/values/event_types.ts';
import { Badge } from '#api/dashboard/browser/parts/badge.tsx';
import { type Filter, Filters } from '#api/dashboard/browser/parts/filters.tsx';
import { FirstSteps } from '#api/dashboard/browser/parts/first_steps.tsx';
import { countryText, countText, keyText, wordsOf } from '#api/dashboard/browser/parts/format.ts';
import { List } from '#api/dashboard/browser/parts/list.tsx';
import { Page } from '#api/dashboard/browser/parts/page.tsx';
import type { Column } from '#api/dashboard/browser/parts/table.tsx';
import { Time } from '#api/dashboard/browser/parts/values.tsx';
import { useRows } from '#api/dashboard/browser/reading/use_rows.ts';

type ScreeningState = Payee['screening_state'];

/** Everybody who was ever paid, the newest first. */
export function Payees() {
  const list = useRows('GET /v1/payees', [...filters, { name: 'sort' }, { name: 'direction' }]);
  return (
    <Page title="Payees">
      <Filters of={filters} />
      <List caption="Payees" list={list} columns={columns} sortedBy="first_seen_at" tools={{}} empty={<FirstSteps />} />
    </Page>
  );
}

const states: Record<ScreeningState, true> = {
  pending: true,
  clear: true,
  potential_match: true,
  confirmed_match: true,
  false_positive: true,
  error: true,
};
const types: Record<PayeeType, true> = {
  merchant: true,
  business: true,
  individual: true,
  wallet: true,
  agent: true,
  unknown: true,
};

const filters: Filter<'GET /v1/payees'>[] = [
  { name: 'q', label: 'Search', kind: 'search', hint: 'Name or key' },
  { name: 'screening_state', label: 'Screening', kind: 'choice', of: Object.keys(states) },
  { name: 'type', label: 'Type', kind: 'choice', of: Object.keys(types) },
  {
    name: 'country',
    label: 'Country',
    kind: 'choice',
    of: [...countries].toSorted((one, other) => countryText(one).localeCompare(countryText(other), 'en')),
    names: Object.fromEntries([...countries].map(code => [code, countryText(code)])),
  },
];

const columns: Column<Payee>[] = [
  {
    name: 'Payee',
    sort: 'name',
    first: 'asc',
    show: ({ id, name, key }) => (
      <>
        <a class="payee-cell" href={`/payees/${id}`} title={key}>
          {name ?? keyText(key)}
        </a>
        {name && <small class="quiet block clip key">{key}</small>}
      </>
    ),
  },
  {
    name: 'Screening',
    value: ({ screening_state }) => screening_state,
    show: ({ screening_state, screening_id }) =>
      screening_id ? (
        <a href={`/screenings/${screening_id}`}>
          <Badge of={screening_state} />
        </a>
      ) : (
        <Badge of={screening_state} />
      ),
  },
  { name: 'Type', from: 'middle', value: ({ type }) => type, show: ({ type }) => type && wordsOf(type) },
  {
    name: 'Country',
    from: 'middle',
    value: ({ country }) => country && countryText(country),
    show: ({ country }) => country && countryText(country),
  },
  {
    name: 'Agents',
    from: 'middle',
    align: 'end',
    value: ({ agent_count }) => agent_count,
    show: ({ agent_count }) => countText(agent_count),
  },
  {
    name: 'Events',
    from: 'middle',
    align: 'end',
    value: ({ event_count }) => event_count,
    show: ({ id, event_count }) => <a href={`/events?payee_id=${id}`}>{countText(event_count)}</a>,
  },
  {
    name: 'Last seen',
    from: 'wide',
    value: ({ last_seen_at }) => last_seen_at,
    show: ({ last_seen_at }) => <Time at={last_seen_at} ago />,
  },
];
