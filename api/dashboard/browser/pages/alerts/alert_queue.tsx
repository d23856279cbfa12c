import { useState } from 'preact/hooks';
import type { Alert } from '#shared/casework/alerts.ts';
import { Badge } from '#api/dashboard/browser/parts/badge.tsx';
import { type Filter, Filters } from '#api/dashboard/browser/parts/filters.tsx';
import { shortened, wordsOf } from '#api/dashboard/browser/parts/format.ts';
import { List } from '#api/dashboard/browser/parts/list.tsx';
import { AgentName } from '#api/dashboard/browser/parts/names.tsx';
import { Empty, Page } from '#api/dashboard/browser/parts/page.tsx';
import type { Column } from '#api/dashboard/browser/parts/table.tsx';
import { useQuery } from '#api/dashboard/browser/parts/use_query.ts';
import { useScreen } from '#api/dashboard/browser/parts/use_screen.ts';
import { Time } from '#api/dashboard/browser/parts/values.tsx';
import { STILL, useReading } from '#api/dashboard/browser/reading/use_reading.ts';
import { useRows } from '#api/dashboard/browser/reading/use_rows.ts';
import { ActOnMany, isForMany } from './act_on_many.tsx';
import { type ActionName, alertActions } from './alert_action_names.ts';
import { QueueKeys } from './queue_keys.tsx';
import { AlertPanel } from './alert_panel.tsx';
import { OpenByDetector } from './open_by_detector.tsx';
import { useAlertAction } from './use_alert_action.tsx';
import { useMark } from './use_mark.ts';

/** From this width on the alert that the mark is at is shown beside the list. */
const ROOM_FOR_TWO = 1_100;

const idOf = (alert: Alert): string => alert.id;

/** The alerts that wait for somebody, worked off by keyboard or by hand. */
export function AlertQueue() {
  const { query } = useQuery();
  const detectors = useReading('GET /v1/detectors', { query: { limit: 200 } }, STILL);
  const filters = filtersOf(
    detectors.data?.data.map(({ name }) => name) ?? (query['detector'] ? [query['detector']] : []),
  );
  const list = useRows('GET /v1/alerts', filters);
  const isWide = useScreen(ROOM_FOR_TWO);
  const [acted, setActed] = useState<ReadonlyMap<string, Alert>>(new Map());
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [moved, setMoved] = useState<ReadonlySet<string>>(new Set());
  const [said, setSaid] = useState('');
  const rows = list.rows?.map(row => newerOf(row, acted.get(row.id))) ?? null;
  const note = (alert: Alert, name: ActionName) => {
    setActed(known => new Map(known).set(alert.id, alert));
    if (name === 'comment') return;
    setMoved(known => new Set(name === 'reopen' ? [...known].filter(id => id !== alert.id) : [...known, alert.id]));
  };
  const after = (alert: Alert, name: ActionName) => {
    note(alert, name);
    setSaid(`${alertActions.find(action => action.name === name)?.done ?? name}: ${alert.title}`);
    if (name !== 'comment' && name !== 'reopen') mark.next();
    else mark.stay();
  };
  const acting = useAlertAction(after);
  const toggle = (id: string) =>
    setSelected(known => new Set(known.has(id) ? [...known].filter(other => other !== id) : [...known, id]));
  const chosen = (rows ?? []).filter(row => selected.has(row.id));
  const [askingMany, askMany] = useState<ActionName | null>(null);
  // What is selected is what a key is about; else the alert that the mark is at.
  const start = (alert: Alert, name: ActionName) =>
    chosen.length > 0 && isForMany(name) ? askMany(name) : acting.start(alert, name);
  const mark = useMark('/alerts', rows ?? [], start, toggle);
  const isDone = ({ id }: Alert) => moved.has(id);
  return (
    <Page title="Alerts" actions={<QueueKeys of="alert" selects shown={mark.keysShown} show={mark.showKeys} />}>
      <Filters of={filters} />
      {Object.entries(query).every(([name, value]) => name === 'cursor' || !value) && <OpenByDetector />}
      <p class="unseen" role="status">
        {said}
      </p>
      {acting.shown}
      <ActOnMany
        alerts={chosen}
        asking={askingMany}
        ask={askMany}
        all={() => setSelected(new Set(rows?.filter(row => !isDone(row)).map(idOf)))}
        none={() => setSelected(new Set())}
        done={note}
        over={mark.stay}
      />
      <div class={isWide && mark.current ? 'queue split' : 'queue'}>
        <div onClick={mark.clicked} onFocusIn={mark.focused}>
          <List
            caption="Alerts"
            list={{ ...list, rows }}
            columns={columnsOf(selected, toggle)}
            current={mark.current?.id ?? null}
            rowClass={row => (isDone(row) ? 'gone' : '')}
            empty={
              <Empty title="No alert is open.">
                <p>
                  Detectors raise one when a payment breaks a mandate, fails verification, or is not like the agent. See{' '}
                  <a href="/detectors">what they look for</a>, or{' '}
                  <a href="/alerts?state=any">all alerts there have been</a>.
                </p>
              </Empty>
            }
          />
        </div>
        {isWide && mark.current && <AlertPanel alert={mark.current} acting={acting} />}
      </div>
    </Page>
  );
}

/** The list no longer has what was moved out of it; where it has, somebody else may have acted since. */
const newerOf = (row: Alert, acted: Alert = row): Alert => (acted.actions.length > row.actions.length ? acted : row);

const filtersOf = (detectors: string[]): Filter<'GET /v1/alerts'>[] => [
  {
    name: 'state',
    label: 'State',
    kind: 'choice',
    of: ['acknowledged', 'escalated', 'resolved', 'dismissed', 'any'],
    none: 'Open',
    sends: (state = 'open') => (state === 'any' ? undefined : state),
  },
  { name: 'severity', label: 'Severity', kind: 'choice', of: ['critical', 'high', 'medium', 'low'] },
  { name: 'detector', label: 'Detector', kind: 'choice', of: detectors },
  { name: 'from', label: 'From', kind: 'time' },
  { name: 'to', label: 'To', kind: 'time' },
  { name: 'agent_id', label: 'Agent', kind: 'link', show: id => <AgentName id={id} /> },
  { name: 'event_id', label: 'Event', kind: 'link', show: id => <a href={`/events/${id}`}>{shortened(id)}</a> },
  {
    name: 'incident_id',
    label: 'Incident',
    kind: 'link',
    show: id => <a href={`/incidents/${id}`}>{shortened(id)}</a>,
  },
  { name: 'case_id', label: 'Case', kind: 'link', show: id => <a href={`/cases/${id}`}>{shortened(id)}</a> },
];

const columnsOf = (selected: ReadonlySet<string>, toggle: (id: string) => void): Column<Alert>[] => [
  {
    name: 'Select',
    unnamed: true,
    show: ({ id, title }) => (
      <label class="pick">
        <input type="checkbox" aria-label={`Select: ${title}`} checked={selected.has(id)} onChange={() => toggle(id)} />
      </label>
    ),
  },
  {
    name: 'Alert',
    show: ({ id, title, agent_id, detector, state }) => (
      <div class="two-lines">
        <a class="opens" href={`/alerts/${id}`}>
          {title}
        </a>
        <small class="quiet">
          {wordsOf(detector)} · <AgentName id={agent_id} />
          {state !== 'open' && ` · ${state}`}
        </small>
      </div>
    ),
  },
  { name: 'Severity', show: ({ severity }) => <Badge of={severity} /> },
  { name: 'Score', align: 'end', from: 'middle', show: ({ score }) => score },
  { name: 'Raised', from: 'middle', show: ({ created_at }) => <Time at={created_at} ago /> },
];
