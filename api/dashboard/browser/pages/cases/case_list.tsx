import type { Case } from '#shared/casework/cases.ts';
import { Assignee, useMembers } from '#api/dashboard/browser/parts/assignee.tsx';
import { Badge } from '#api/dashboard/browser/parts/badge.tsx';
import { type Filter, Filters } from '#api/dashboard/browser/parts/filters.tsx';
import { List } from '#api/dashboard/browser/parts/list.tsx';
import { ActorName } from '#api/dashboard/browser/parts/names.tsx';
import { Empty, Page } from '#api/dashboard/browser/parts/page.tsx';
import { periodFilters } from '#api/dashboard/browser/parts/period.ts';
import type { Column } from '#api/dashboard/browser/parts/table.tsx';
import { useQuery } from '#api/dashboard/browser/parts/use_query.ts';
import { Time } from '#api/dashboard/browser/parts/values.tsx';
import { useRows } from '#api/dashboard/browser/reading/use_rows.ts';
import { CaseBoard } from './case_board.tsx';
import { casePriorities, caseStatuses } from './case_words.ts';
import { isolated } from '#api/dashboard/browser/parts/isolated.ts';
import { NewCaseDialog } from './new_case.tsx';

/** The cases, as a list or as a board of three columns. */
export function CaseList() {
  const { query, set } = useQuery();
  const isBoard = query['view'] === 'board';
  const members = useMembers();
  const filters: Filter<'GET /v1/cases'>[] = [
    ...(isBoard ? [] : [{ name: 'status', label: 'Status', kind: 'choice', of: caseStatuses } as const]),
    { name: 'priority', label: 'Priority', kind: 'choice', of: casePriorities },
    {
      name: 'assignee_id',
      label: 'Assignee',
      kind: 'choice',
      of: members.map(([id]) => id),
      names: Object.fromEntries(members),
    },
    ...(members.some(([id]) => id === query['assignee_id']) ? [] : [otherAssignee]),
    { name: 'agent_id', label: 'Agent', kind: 'pick', of: 'agent' },
    ...periodFilters,
  ];
  return (
    <Page
      title="Cases"
      actions={
        <>
          <div class="switch" role="group" aria-label="Show as">
            <button type="button" aria-pressed={!isBoard} onClick={() => set({ view: undefined })}>
              List
            </button>
            <button type="button" aria-pressed={isBoard} onClick={() => set({ view: 'board', status: undefined })}>
              Board
            </button>
          </div>
          <button type="button" class="main" onClick={() => set({ new: '1' })}>
            New case
          </button>
        </>
      }
    >
      <Filters of={filters} />
      {isBoard ? <CaseBoard filters={filters} /> : <Rows filters={filters} />}
      {query['new'] && <NewCaseDialog />}
    </Page>
  );
}

/** Somebody whom the filter does not have: a link brought the id. */
const otherAssignee: Filter<'GET /v1/cases'> = {
  name: 'assignee_id',
  label: 'Assignee',
  kind: 'link',
  show: id => <ActorName id={id} />,
};

function Rows({ filters }: { filters: Filter<'GET /v1/cases'>[] }) {
  const list = useRows('GET /v1/cases', [...filters, { name: 'sort' }, { name: 'direction' }]);
  return (
    <List
      caption="Cases"
      list={list}
      columns={columns}
      tools={{ exports: { kind: 'cases', filters } }}
      empty={
        <Empty title="No cases yet">
          <p>
            A case collects the alerts, events, screenings, and notes of one investigation. Escalate an{' '}
            <a href="/alerts">alert</a> to open a case, or create one here.
          </p>
        </Empty>
      }
    />
  );
}

const columns: Column<Case>[] = [
  { name: 'Case', show: ({ id, title }) => <a href={`/cases/${id}`}>{isolated(title)}</a> },
  { name: 'Priority', sort: 'priority', show: ({ priority }) => <Badge of={priority} /> },
  { name: 'Status', show: ({ status }) => <Badge of={status} /> },
  { name: 'Assignee', from: 'middle', show: ({ assignee_id }) => <Assignee id={assignee_id} /> },
  { name: 'Updated', sort: 'updated_at', from: 'middle', show: ({ updated_at }) => <Time at={updated_at} ago /> },
  { name: 'Opened', sort: 'created_at', from: 'wide', show: ({ created_at }) => <Time at={created_at} ago /> },
];
