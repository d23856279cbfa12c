import type { Mandate } from '#shared/mandates/store/mandates.ts';
import { Badge } from '#api/dashboard/browser/parts/badge.tsx';
import { type Filter, Filters } from '#api/dashboard/browser/parts/filters.tsx';
import { List } from '#api/dashboard/browser/parts/list.tsx';
import { AgentName, OwnerName } from '#api/dashboard/browser/parts/names.tsx';
import { Empty, Page } from '#api/dashboard/browser/parts/page.tsx';
import type { Column } from '#api/dashboard/browser/parts/table.tsx';
import { useQuery } from '#api/dashboard/browser/parts/use_query.ts';
import { Time } from '#api/dashboard/browser/parts/values.tsx';
import { useRows } from '#api/dashboard/browser/reading/use_rows.ts';
import { useSession } from '#api/dashboard/browser/session.tsx';
import type { ConstraintTerms } from '#shared/mandates/kinds/words.ts';
import { constraintText } from './constraint_words.ts';

const states: Mandate['state'][] = ['active', 'paused', 'expired', 'revoked', 'exhausted'];

/** What agents may pay. */
export function Mandates() {
  const { may } = useSession();
  const { agent_id } = useQuery().query;
  const list = useRows('GET /v1/mandates', [...filters, { name: 'sort' }, { name: 'direction' }]);
  const make = may('configure') && (
    <a class="button main" href={agent_id ? `/mandates/new?agent_id=${encodeURIComponent(agent_id)}` : '/mandates/new'}>
      New mandate
    </a>
  );
  return (
    <Page title="Mandates" actions={make}>
      <Filters of={filters} />
      <List
        caption="Mandates"
        list={list}
        columns={columns}
        tools={{}}
        rowClass={({ state }) => (state === 'revoked' || state === 'expired' ? 'past' : '')}
        empty={
          <Empty title="No mandates yet">
            <p>
              A mandate sets what an agent may pay: how much, to whom, and how often. All payments of the agent are
              checked against it, and a breach raises an alert. Signed mandates (AP2) arrive with payments.
            </p>
            {make}
          </Empty>
        }
      />
    </Page>
  );
}

const filters: Filter<'GET /v1/mandates'>[] = [
  { name: 'state', label: 'State', kind: 'choice', of: states },
  { name: 'agent_id', label: 'Agent', kind: 'pick', of: 'agent' },
  { name: 'owner_id', label: 'Owner', kind: 'pick', of: 'owner' },
];

const columns: Column<Mandate>[] = [
  {
    name: 'Name',
    sort: 'name',
    first: 'asc',
    show: ({ id, agent_id, name }) => (
      <>
        <a href={`/mandates/${id}`}>{name}</a>
        <small class="quiet under until-middle">
          <AgentName id={agent_id} />
        </small>
      </>
    ),
  },
  { name: 'Agent', show: ({ agent_id }) => <AgentName id={agent_id} />, from: 'middle' },
  { name: 'Owner', show: ({ owner_id }) => <OwnerName id={owner_id} />, from: 'wide' },
  { name: 'Allows', show: ({ constraints }) => <Allows of={constraints as ConstraintTerms[]} />, from: 'middle' },
  {
    name: 'Expires',
    sort: 'valid_until',
    first: 'asc',
    show: ({ valid_until }) => (valid_until ? <Time at={valid_until} ago /> : <span class="quiet">Never</span>),
    from: 'wide',
  },
  { name: 'State', value: ({ state }) => state, show: ({ state }) => <Badge of={state} /> },
];

function Allows({ of }: { of: ConstraintTerms[] }) {
  const [first] = of;
  if (!first) return <span class="quiet">All payments</span>;
  return (
    <div class="clip" title={of.map(constraintText).join('. ')}>
      {of.length > 1 && <span class="quiet">{of.length} limits: </span>}
      {constraintText(first)}
    </div>
  );
}
