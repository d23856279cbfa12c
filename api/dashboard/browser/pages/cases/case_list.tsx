import { type Case, listCases } from '#api/client/generated.ts';
import { Badge } from '#api/dashboard/browser/parts/badge.tsx';
import { Chips } from '#api/dashboard/browser/parts/chips.tsx';
import { Filters } from '#api/dashboard/browser/parts/filters.tsx';
import { List } from '#api/dashboard/browser/parts/list.tsx';
import { ActorName, AgentName } from '#api/dashboard/browser/parts/names.tsx';
import { Empty, Page } from '#api/dashboard/browser/parts/page.tsx';
import type { Column } from '#api/dashboard/browser/parts/table.tsx';
import { useQuery } from '#api/dashboard/browser/parts/use_query.ts';
import { Time } from '#api/dashboard/browser/parts/values.tsx';
import { useRows } from '#api/dashboard/browser/reading/use_rows.ts';
import { Assignee, useMembers } from './assignee.tsx';
import { CaseBoard } from './case_board.tsx';
import { casePriorities, caseStatuses } from './case_words.ts';
import { NewCaseDialog } from './new_case.tsx';

/** The cases, as a list or as a board of three columns. */
export function CaseList() {
  const { query, set } = useQuery();
  const isBoard = query['view'] === 'board';
  const members = useMembers();
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
      <Filters
        of={[
          ...(isBoard ? [] : [{ name: 'status', label: 'Status', kind: 'choice', of: caseStatuses } as const]),
          { name: 'priority', label: 'Priority', kind: 'choice', of: casePriorities },
          {
            name: 'assignee_id',
            label: 'Assigned to',
            kind: 'choice',
            of: members.map(([id]) => id),
            names: Object.fromEntries(members),
          },
        ]}
      />
      <Chips
        of={[
          // Somebody whom the filter above does not have: a link brought the id.
          ...(members.some(([id]) => id === query['assignee_id'])
            ? []
            : [{ name: 'assignee_id', label: 'Assigned to', show: (id: string) => <ActorName id={id} /> }]),
          { name: 'agent_id', label: 'Agent', show: id => <AgentName id={id} /> },
        ]}
      />
      {isBoard ? <CaseBoard filters={filtersOf(query)} /> : <Rows />}
      {query['new'] && <NewCaseDialog />}
    </Page>
  );
}

const filtersOf = (query: Record<string, string | undefined>) => ({
  priority: query['priority'],
  assigneeId: query['assignee_id'],
  agentId: query['agent_id'],
});

const idOf = (row: Case): string => row.id;

function Rows() {
  const { query } = useQuery();
  const args = { status: query['status'], ...filtersOf(query), limit: 50, cursor: query['cursor'] };
  const list = useRows(listCases, args, idOf);
  return (
    <List
      caption="Cases"
      list={list}
      columns={columns}
      idOf={idOf}
      empty={
        <Empty title="There is no case yet.">
          <p>
            A case gathers alerts, events and screenings about one matter, with notes, until it is closed. Escalate an{' '}
            <a href="/alerts">alert</a> to open one, or open one here.
          </p>
        </Empty>
      }
    />
  );
}

const columns: Column<Case>[] = [
  { name: 'Case', show: ({ id, title }) => <a href={`/cases/${id}`}>{title}</a> },
  { name: 'Priority', show: ({ priority }) => <Badge of={priority} /> },
  { name: 'Status', show: ({ status }) => <Badge of={status} /> },
  { name: 'Assigned to', from: 'middle', show: ({ assignee_id }) => <Assignee id={assignee_id} /> },
  { name: 'Opened', from: 'middle', show: ({ created_at }) => <Time at={created_at} ago /> },
];
