import { auditActions } from '#shared/interface/audit_actions.ts';
import type { AuditRecord } from '#shared/interface/audit_log.ts';
import { type Filter, Filters } from '#api/dashboard/browser/parts/filters.tsx';
import { wordsOf } from '#api/dashboard/browser/parts/format.ts';
import { List } from '#api/dashboard/browser/parts/list.tsx';
import { ActorName } from '#api/dashboard/browser/parts/names.tsx';
import { OnlyManagers } from '#api/dashboard/browser/parts/only_managers.tsx';
import { Empty, Page } from '#api/dashboard/browser/parts/page.tsx';
import { periodFilters } from '#api/dashboard/browser/parts/period.ts';
import type { Column } from '#api/dashboard/browser/parts/table.tsx';
import { Time } from '#api/dashboard/browser/parts/values.tsx';
import { useRows } from '#api/dashboard/browser/reading/use_rows.ts';
import { Difference } from './difference.tsx';
import { TargetLink } from './target_link.tsx';

/** Who changed what. */
export const AuditLog = () => (
  <OnlyManagers title="Audit log" says="Only admins and owners can see the audit log.">
    <Changes />
  </OnlyManagers>
);

function Changes() {
  const list = useRows('GET /v1/audit-log', [...filters, { name: 'direction' }]);
  return (
    <Page title="Audit log">
      <Filters of={filters} />
      <List
        caption="Changes"
        list={list}
        columns={columns}
        tools={{ exports: { kind: 'audit', filters } }}
        empty={<Empty title="No changes yet" />}
      />
    </Page>
  );
}

/** What people did, in the API's words, and as what was done. */
const done: Record<string, string> = {
  acknowledge: 'acknowledged',
  comment: 'commented on',
  dismiss: 'dismissed',
  escalate: 'escalated',
  reopen: 'reopened',
  resolve: 'resolved',
};

/** `alert.dismiss` → `Alert dismissed` */
const nameOf = (action: string) => wordsOf(action.replace(/[a-z]+$/, verb => done[verb] ?? verb));
const names = Object.fromEntries(auditActions.map(action => [action, nameOf(action)]));

const filters: Filter<'GET /v1/audit-log'>[] = [
  { name: 'action', label: 'Action', kind: 'choice', of: auditActions, names },
  { name: 'actor_id', label: 'Changed by', kind: 'pick', of: 'member' },
  { name: 'target_id', label: 'Object ID', kind: 'text', hint: 'mnd_…' },
  ...periodFilters,
];

const columns: Column<AuditRecord>[] = [
  { name: 'Time', sort: 'created_at', show: ({ at }) => <Time at={at} />, from: 'middle' },
  { name: 'Changed by', show: ({ actor_id }) => <ActorName id={actor_id} />, from: 'middle' },
  {
    name: 'Change',
    show: record => (
      <>
        <strong>{nameOf(record.action)}</strong>{' '}
        {record.target_id && <TargetLink id={record.target_id} action={record.action} />}
        <small class="quiet under until-middle">
          <ActorName id={record.actor_id} />, <Time at={record.at} />
        </small>
        <Difference record={record} />
      </>
    ),
  },
];
