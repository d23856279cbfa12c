import { useRef, useState } from 'preact/hooks';
import { ActOnMany, isForMany } from '#api/dashboard/browser/pages/alerts/act_on_many.tsx';
import { undoOfIncidents } from '#api/dashboard/browser/pages/alerts/undo_actions.ts';
import { useSelection } from '#api/dashboard/browser/pages/alerts/use_selection.tsx';
import { useUndo } from '#api/dashboard/browser/parts/use_undo.tsx';
import { change } from '#api/dashboard/browser/reading/operations.ts';
import { useQuery } from '#api/dashboard/browser/parts/use_query.ts';
import type { ActionName } from '#api/dashboard/browser/pages/alerts/alert_action_names.ts';
import { QueueKeys } from '#api/dashboard/browser/pages/alerts/queue_keys.tsx';
import { useMark } from '#api/dashboard/browser/pages/alerts/use_mark.ts';
import { Assignee, useMembers } from '#api/dashboard/browser/parts/assignee.tsx';
import { Badge } from '#api/dashboard/browser/parts/badge.tsx';
import { type Filter, Filters } from '#api/dashboard/browser/parts/filters.tsx';
import { countText, wordsOf } from '#api/dashboard/browser/parts/format.ts';
import { Icon } from '#api/dashboard/browser/parts/icon.tsx';
import { List } from '#api/dashboard/browser/parts/list.tsx';
import { Empty, Page } from '#api/dashboard/browser/parts/page.tsx';
import { periodFilters } from '#api/dashboard/browser/parts/period.ts';
import type { Column } from '#api/dashboard/browser/parts/table.tsx';
import { ROOM_FOR_TWO, useScreen } from '#api/dashboard/browser/parts/use_screen.ts';
import { Time, UsdPaid } from '#api/dashboard/browser/parts/values.tsx';
import { type Narrowing, useRows } from '#api/dashboard/browser/reading/use_rows.ts';
import type { Incident } from '#shared/casework/incidents.ts';
import { useAssign } from './assign.tsx';
import { IncidentPanel } from './incident_panel.tsx';
import { IncidentAgents, incidentState } from './incident_totals.tsx';
import { snoozedText, useSnooze } from './snooze.tsx';
import { isolated } from '#api/dashboard/browser/parts/isolated.ts';
import { actionOn, type SomeIncident, useIncidentAction } from './use_incident_action.tsx';

/** What waits for a person, a line an incident, the most urgent first, worked off by keyboard or by hand. */
export function IncidentQueue() {
  const { query } = useQuery();
  const list = useRows('GET /v1/incidents', [...filters, assignee([]), agent, snoozed, { name: 'direction' }]);
  // What stands beside the list is asked for when the list is there.
  const members = useMembers(list.rows !== null);
  const isWide = useScreen(ROOM_FOR_TWO);
  const undoing = useUndo();
  const selection = useSelection();
  const rows = list.rows ?? [];
  const offerUndo = (incidents: SomeIncident[], name: ActionName) => undoing.offer(undoOfIncidents(incidents, name));
  const after = (incident: SomeIncident, name: ActionName) => {
    offerUndo([incident], name);
    if (name !== 'comment' && name !== 'reopen') mark.nextOf(incident.id);
    else mark.stay();
  };
  const acting = useIncidentAction(after);
  const snoozing = useSnooze(snoozed => {
    undoing.offer({ text: snoozedText(snoozed.length), undo: () => snoozing.wake(snoozed) });
    const [one, ...others] = snoozed;
    if (one && others.length === 0) mark.nextOf(one.id);
    else mark.stay();
    selection.set([]);
  });
  const assigning = useAssign(undoing.offer, incidents => {
    selection.drop(incidents.map(({ id }) => id));
    mark.stay();
  });
  const selected = rows.filter(({ id }) => selection.selected.has(id));
  // What is selected is what a key is about; else the incident that the mark is at.
  const chosen = (incident: SomeIncident) =>
    selection.isAny() ? rows.filter(({ id }) => selection.has(id)) : [incident];
  const many = useRef<SomeIncident[]>([]);
  const [askingMany, askMany] = useState<ActionName | null>(null);
  const actOnOne = async (incident: SomeIncident, name: ActionName, reason: string) => {
    const request = actionOn(incident, { action: name, ...(reason && { reason }) });
    many.current.push(await change('POST /v1/incidents/{id}/actions', request));
  };
  const start = (incident: SomeIncident, name: ActionName) =>
    selection.isAny() && isForMany(name) ? askMany(name) : acting.start(incident, name);
  const mark = useMark<SomeIncident>('/incidents', rows, acting, {
    start,
    toggle: selection.toggle,
    undo: undoing.undo,
    keys: {
      s: incident => snoozing.ask(chosen(incident)),
      i: incident => assigning.take(chosen(incident)),
      t: incident => assigning.ask(chosen(incident)),
    },
  });
  const isClosed = ({ state }: Incident) => state === 'closed' && !query['state'];
  const open = rows.filter(row => !isClosed(row));
  return (
    <Page title="Incidents" actions={<QueueKeys of="incident" shown={mark.keysShown} show={mark.showKeys} />}>
      <Filters of={[...filters, assignee(members), agent]} />
      {acting.shown}
      {undoing.shown}
      {snoozing.shown}
      {assigning.shown}
      <div class={isWide && mark.current ? 'queue split' : 'queue'}>
        <div onClick={mark.clicked} onFocusIn={mark.focused}>
          <ActOnMany
            nouns={['incident', 'incidents']}
            at_path="/incidents"
            things={selected}
            more={
              <>
                <button type="button" onClick={() => snoozing.ask(selected)}>
                  Snooze
                </button>
                <button type="button" onClick={() => assigning.ask(selected)}>
                  Assign
                </button>
              </>
            }
            act={actOnOne}
            asking={askingMany}
            ask={askMany}
            all={() => selection.set(open.map(({ id }) => id))}
            isAllShown={list.next_cursor !== null && selected.length >= open.length}
            none={() => selection.set([])}
            over={name => {
              offerUndo(many.current, name);
              many.current = [];
              mark.stay();
            }}
          />
          <List
            caption="Incidents"
            list={list}
            columns={[selection.column, ...columns]}
            tools={{}}
            current={mark.current?.id ?? null}
            rowClass={row => (isClosed(row) ? 'gone' : '')}
            sortedBy="urgency"
            empty={
              <Empty title="No open incidents">
                <p>
                  Alerts on one agent within a day form one incident, and so does the same alert on many agents at once.
                  See <a href="/detectors">what raises alerts</a> or{' '}
                  <a href="/incidents?state=any">view all incidents</a>.
                </p>
              </Empty>
            }
          />
        </div>
        {isWide && mark.current && (
          <IncidentPanel
            key={mark.current.id}
            incident={mark.current}
            acting={acting}
            snoozing={snoozing}
            assigning={assigning}
          />
        )}
      </div>
    </Page>
  );
}

/** What is snoozed has left the queue, and is listed by itself. */
const snoozed: Narrowing<'GET /v1/incidents'> = {
  name: 'snoozed',
  sends: (_, { state = 'open' }) => (state === 'snoozed' ? 'true' : state === 'open' ? 'false' : undefined),
};

const filters: Filter<'GET /v1/incidents'>[] = [
  {
    name: 'state',
    label: 'State',
    kind: 'choice',
    of: ['snoozed', 'closed', 'any'],
    none: 'Open',
    sends: (state = 'open') => (state === 'any' ? undefined : state === 'snoozed' ? 'open' : state),
  },
  { name: 'severity', label: 'Severity', kind: 'choice', of: ['critical', 'high', 'medium', 'low'] },
  {
    name: 'sort',
    label: 'Sort by',
    kind: 'choice',
    of: ['severity', 'amount', 'last_at', 'created_at'],
    none: 'Urgency',
    names: { last_at: 'Last activity', created_at: 'Newest' },
    sends: (by = 'urgency') => by,
  },
  ...periodFilters,
];

const assignee = (members: [id: string, name: string][]): Filter<'GET /v1/incidents'> => ({
  name: 'assignee_id',
  label: 'Assignee',
  kind: 'choice',
  of: ['none', ...members.map(([id]) => id)],
  names: { none: 'Unassigned', ...Object.fromEntries(members) },
});

const agent: Filter<'GET /v1/incidents'> = { name: 'agent_id', label: 'Agent', kind: 'pick', of: 'agent' };

const columns: Column<Incident>[] = [
  {
    name: 'Incident',
    show: incident => (
      <div class="two-lines">
        <a class="opens" href={`/incidents/${incident.id}`}>
          {isolated(incident.title)}
        </a>
        <small class="quiet">
          <IncidentAgents of={incident} /> · {incident.alert_count > 1 && `${countText(incident.alert_count)} alerts: `}
          {incident.detectors.map(wordsOf).join(', ')}
          {incidentState(incident) !== 'open' && ` · ${incidentState(incident)}`}
          {incident.assignee_id && (
            <>
              {' '}
              <span class="assigned">
                <Icon name="user" /> <Assignee id={incident.assignee_id} />
              </span>
            </>
          )}
          <span class="only-narrow">
            {' · '}
            <Time at={incident.last_at} ago />
          </span>
        </small>
      </div>
    ),
  },
  { name: 'Severity', sort: 'severity', show: ({ severity }) => <Badge of={severity} /> },
  {
    name: 'Amount',
    sort: 'amount',
    align: 'end',
    from: 'middle',
    show: ({ amount_usd_micro }) => <UsdPaid micro={amount_usd_micro} />,
  },
  { name: 'Last activity', sort: 'last_at', from: 'middle', show: ({ last_at }) => <Time at={last_at} ago /> },
];
