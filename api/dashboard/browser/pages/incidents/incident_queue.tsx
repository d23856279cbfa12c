import { useState } from 'preact/hooks';
import { useQuery } from '#api/dashboard/browser/parts/use_query.ts';
import { type ActionName, alertActions } from '#api/dashboard/browser/pages/alerts/alert_action_names.ts';
import { QueueKeys } from '#api/dashboard/browser/pages/alerts/queue_keys.tsx';
import { useMark } from '#api/dashboard/browser/pages/alerts/use_mark.ts';
import { Badge } from '#api/dashboard/browser/parts/badge.tsx';
import { type Filter, Filters } from '#api/dashboard/browser/parts/filters.tsx';
import { countText, wordsOf } from '#api/dashboard/browser/parts/format.ts';
import { List } from '#api/dashboard/browser/parts/list.tsx';
import { AgentName } from '#api/dashboard/browser/parts/names.tsx';
import { Empty, Page } from '#api/dashboard/browser/parts/page.tsx';
import type { Column } from '#api/dashboard/browser/parts/table.tsx';
import { useScreen } from '#api/dashboard/browser/parts/use_screen.ts';
import { Time, Usd } from '#api/dashboard/browser/parts/values.tsx';
import { useRows } from '#api/dashboard/browser/reading/use_rows.ts';
import type { Incident } from '#shared/casework/incidents.ts';
import { IncidentPanel } from './incident_panel.tsx';
import { IncidentAgents, incidentState } from './incident_totals.tsx';
import { type SomeIncident, useIncidentAction } from './use_incident_action.tsx';

/** From this width on the incident that the mark is at is shown beside the list. */
const ROOM_FOR_TWO = 1_100;

/** What waits for somebody, a line an incident, worked off by keyboard or by hand. */
export function IncidentQueue() {
  const { query } = useQuery();
  const list = useRows('GET /v1/incidents', filters);
  const isWide = useScreen(ROOM_FOR_TWO);
  const [said, setSaid] = useState('');
  const after = ({ title }: SomeIncident, name: ActionName) => {
    setSaid(`${alertActions.find(action => action.name === name)?.done ?? name}: ${title}`);
    if (name !== 'comment' && name !== 'reopen') mark.next();
    else mark.stay();
  };
  const acting = useIncidentAction(after);
  const mark = useMark<SomeIncident>('/incidents', list.rows ?? [], acting.start);
  const isClosed = ({ state }: Incident) => state === 'closed' && !query['state'];
  return (
    <Page title="Incidents" actions={<QueueKeys of="incident" shown={mark.keysShown} show={mark.showKeys} />}>
      <Filters of={filters} />
      <p class="unseen" role="status">
        {said}
      </p>
      {acting.shown}
      <div class={isWide && mark.current ? 'queue split' : 'queue'}>
        <div onClick={mark.clicked} onFocusIn={mark.focused}>
          <List
            caption="Incidents"
            list={list}
            columns={columns}
            current={mark.current?.id ?? null}
            rowClass={row => (isClosed(row) ? 'gone' : '')}
            empty={
              <Empty title="No incident is open.">
                <p>
                  Alerts on one agent within a day are one incident, and so is a storm of alerts over many agents. See{' '}
                  <a href="/detectors">what raises alerts</a>, or{' '}
                  <a href="/incidents?state=any">all incidents there have been</a>.
                </p>
              </Empty>
            }
          />
        </div>
        {isWide && mark.current && <IncidentPanel key={mark.current.id} incident={mark.current} acting={acting} />}
      </div>
    </Page>
  );
}

const filters: Filter<'GET /v1/incidents'>[] = [
  {
    name: 'state',
    label: 'State',
    kind: 'choice',
    of: ['closed', 'any'],
    none: 'Open',
    sends: (state = 'open') => (state === 'any' ? undefined : state),
  },
  { name: 'severity', label: 'Severity', kind: 'choice', of: ['critical', 'high', 'medium', 'low'] },
  { name: 'from', label: 'From', kind: 'time' },
  { name: 'to', label: 'To', kind: 'time' },
  { name: 'agent_id', label: 'Agent', kind: 'link', show: id => <AgentName id={id} /> },
];

const columns: Column<Incident>[] = [
  {
    name: 'Incident',
    show: incident => (
      <div class="two-lines">
        <a class="opens" href={`/incidents/${incident.id}`}>
          {incident.title}
        </a>
        <small class="quiet">
          <IncidentAgents of={incident} /> · {incident.detectors.map(wordsOf).join(', ')}
          {incidentState(incident) !== 'open' && ` · ${incidentState(incident)}`}
        </small>
      </div>
    ),
  },
  { name: 'Severity', show: ({ severity }) => <Badge of={severity} /> },
  { name: 'Alerts', align: 'end', from: 'middle', show: ({ alert_count }) => countText(alert_count) },
  { name: 'Amount', align: 'end', from: 'middle', show: ({ amount_usd_minor }) => <Usd cents={amount_usd_minor} /> },
  { name: 'Last activity', from: 'middle', show: ({ last_at }) => <Time at={last_at} ago /> },
];
