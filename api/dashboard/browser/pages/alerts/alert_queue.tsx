import { useRef, useState } from 'preact/hooks';
import type { Alert } from '#shared/casework/alerts.ts';
import { Badge } from '#api/dashboard/browser/parts/badge.tsx';
import { type Filter, Filters } from '#api/dashboard/browser/parts/filters.tsx';
import { shortened, wordsOf } from '#api/dashboard/browser/parts/format.ts';
import { List } from '#api/dashboard/browser/parts/list.tsx';
import { AgentName } from '#api/dashboard/browser/parts/names.tsx';
import { Empty, Page } from '#api/dashboard/browser/parts/page.tsx';
import { periodFilters } from '#api/dashboard/browser/parts/period.ts';
import type { Column } from '#api/dashboard/browser/parts/table.tsx';
import { useQuery } from '#api/dashboard/browser/parts/use_query.ts';
import { ROOM_FOR_TWO, useScreen } from '#api/dashboard/browser/parts/use_screen.ts';
import { Time } from '#api/dashboard/browser/parts/values.tsx';
import { STILL, useReading } from '#api/dashboard/browser/reading/use_reading.ts';
import { change } from '#api/dashboard/browser/reading/operations.ts';
import { type Narrowing, useRows } from '#api/dashboard/browser/reading/use_rows.ts';
import { useUndo } from '#api/dashboard/browser/parts/use_undo.tsx';
import { ActOnMany, isForMany } from './act_on_many.tsx';
import type { ActionName } from './alert_action_names.ts';
import { QueueKeys } from './queue_keys.tsx';
import { AlertPanel } from './alert_panel.tsx';
import { OpenByDetector } from './open_by_detector.tsx';
import { useAlertAction } from './use_alert_action.tsx';
import { useMark } from './use_mark.ts';
import { undoOf } from './undo_actions.ts';
import { isolated } from '#api/dashboard/browser/parts/isolated.ts';
import { useSelection } from './use_selection.tsx';

const idOf = (alert: Alert): string => alert.id;

/** The alerts that wait for a person, worked off by keyboard or by hand. */
export function AlertQueue() {
  const { query } = useQuery();
  const list = useRows('GET /v1/alerts', [...filtersOf([]), order, { name: 'direction' }]);
  // What stands beside the list is asked for when the list is there.
  const isThere = list.rows !== null;
  const detectors = useReading('GET /v1/detectors', isThere ? { query: { limit: 200 } } : null, STILL);
  const filters = filtersOf(
    detectors.data?.data.map(({ name }) => name) ?? (query['detector'] ? [query['detector']] : []),
  );
  const isWide = useScreen(ROOM_FOR_TWO);
  const [acted, setActed] = useState<ReadonlyMap<string, Alert>>(new Map());
  const selection = useSelection();
  const [moved, setMoved] = useState<ReadonlySet<string>>(new Set());
  const rows = list.rows?.map(row => newerOf(row, acted.get(row.id))) ?? null;
  const undoing = useUndo();
  const note = (alert: Alert, name: ActionName) => {
    setActed(known => new Map(known).set(alert.id, alert));
    if (name === 'comment') return;
    setMoved(known => new Set(name === 'reopen' ? [...known].filter(id => id !== alert.id) : [...known, alert.id]));
  };
  const offerUndo = (alerts: Alert[], name: ActionName) =>
    undoing.offer(undoOf(alerts, name, undone => undone.forEach(alert => note(alert, 'reopen'))));
  const after = (alert: Alert, name: ActionName) => {
    note(alert, name);
    offerUndo([alert], name);
    if (name !== 'comment' && name !== 'reopen') mark.nextOf(alert.id);
    else mark.stay();
  };
  const acting = useAlertAction(after);
  const many = useRef<Alert[]>([]);
  const chosen = (rows ?? []).filter(row => selection.selected.has(row.id));
  const [askingMany, askMany] = useState<ActionName | null>(null);
  const actOnOne = async ({ id }: Alert, name: ActionName, reason: string) => {
    const body = { action: name, ...(reason && { reason }) };
    const alert = await change('POST /v1/alerts/{id}/actions', { params: { id }, body });
    many.current.push(alert);
    note(alert, name);
  };
  // What is selected is what a key is about; else the alert that the mark is at.
  const start = (alert: Alert, name: ActionName) =>
    selection.isAny() && isForMany(name) ? askMany(name) : acting.start(alert, name);
  const mark = useMark('/alerts', rows ?? [], acting, { start, toggle: selection.toggle, undo: undoing.undo });
  const open = (rows ?? []).filter(({ id }) => !moved.has(id));
  return (
    <Page title="Alerts" actions={<QueueKeys of="alert" shown={mark.keysShown} show={mark.showKeys} />}>
      <Filters of={filters} />
      {Object.entries(query).every(([name, value]) => ['cursor', 'sort', 'direction'].includes(name) || !value) &&
        list.rows?.length !== 0 && <OpenByDetector isAsked={isThere} />}
      {acting.shown}
      {undoing.shown}
      <div class={isWide && mark.current ? 'queue split' : 'queue'}>
        <div onClick={mark.clicked} onFocusIn={mark.focused}>
          <ActOnMany
            nouns={['alert', 'alerts']}
            at_path="/alerts"
            things={chosen}
            act={actOnOne}
            asking={askingMany}
            ask={askMany}
            all={() => selection.set(open.map(idOf))}
            isAllShown={list.next_cursor !== null && chosen.length >= open.length}
            none={() => selection.set([])}
            over={name => {
              offerUndo(many.current, name);
              many.current = [];
              mark.stay();
            }}
          />
          <List
            caption="Alerts"
            list={{ ...list, rows }}
            columns={[selection.column, ...columns]}
            tools={{ exports: { kind: 'alerts', filters } }}
            current={mark.current?.id ?? null}
            rowClass={({ id }) => (moved.has(id) ? 'gone' : '')}
            sortedBy={usualOrder(query['state'])}
            empty={
              <Empty title="No open alerts">
                <p>
                  Detectors raise an alert when a payment breaks a mandate, fails verification, or is unusual for its
                  agent. See <a href="/detectors">what they look for</a> or{' '}
                  <a href="/alerts?state=any">view all alerts</a>.
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

/** Alerts that are closed are listed as they were raised. */
const usualOrder = (state = 'open') =>
  ['open', 'acknowledged', 'escalated'].includes(state) ? 'severity' : 'created_at';
const order: Narrowing<'GET /v1/alerts'> = { name: 'sort', sends: (by, { state }) => by ?? usualOrder(state) };

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
  ...periodFilters,
  { name: 'agent_id', label: 'Agent', kind: 'pick', of: 'agent' },
  { name: 'event_id', label: 'Event', kind: 'link', show: id => <a href={`/events/${id}`}>{shortened(id)}</a> },
  {
    name: 'incident_id',
    label: 'Incident',
    kind: 'link',
    show: id => <a href={`/incidents/${id}`}>{shortened(id)}</a>,
  },
  { name: 'case_id', label: 'Case', kind: 'link', show: id => <a href={`/cases/${id}`}>{shortened(id)}</a> },
];

const columns: Column<Alert>[] = [
  {
    name: 'Alert',
    show: ({ id, title, agent_id, detector, state, created_at }) => (
      <div class="two-lines">
        <a class="opens" href={`/alerts/${id}`}>
          {isolated(title)}
        </a>
        <small class="quiet">
          {wordsOf(detector)} · <AgentName id={agent_id} />
          {state !== 'open' && ` · ${state}`}
          <span class="only-narrow">
            {' · '}
            <Time at={created_at} ago />
          </span>
        </small>
      </div>
    ),
  },
  { name: 'Severity', sort: 'severity', show: ({ severity }) => <Badge of={severity} /> },
  { name: 'Score', sort: 'score', align: 'end', from: 'middle', show: ({ score }) => score },
  { name: 'Raised', sort: 'created_at', from: 'middle', show: ({ created_at }) => <Time at={created_at} ago /> },
];
