import { useRoute } from 'preact-iso';
import type { IncidentDetail } from '#shared/casework/incidents.ts';
import { alertActions } from '#api/dashboard/browser/pages/alerts/alert_action_names.ts';
import { AlertMandate } from '#api/dashboard/browser/pages/alerts/alert_mandate.tsx';
import { undoOfIncidents } from '#api/dashboard/browser/pages/alerts/undo_actions.ts';
import { Badge } from '#api/dashboard/browser/parts/badge.tsx';
import { countText } from '#api/dashboard/browser/parts/format.ts';
import { useKeys } from '#api/dashboard/browser/parts/keys.ts';
import { Facts, Loaded, Page, Section } from '#api/dashboard/browser/parts/page.tsx';
import { useUndo } from '#api/dashboard/browser/parts/use_undo.tsx';
import { Copy, Time } from '#api/dashboard/browser/parts/values.tsx';
import { useReading } from '#api/dashboard/browser/reading/use_reading.ts';
import { IncidentAssignee, useAssign } from './assign.tsx';
import { IncidentReasons } from './incident_reasons.tsx';
import { IncidentAgents, IncidentTotals } from './incident_totals.tsx';
import { SnoozeButton, snoozedText, useSnooze } from './snooze.tsx';
import { IncidentButtons, useIncidentAction } from './use_incident_action.tsx';
import { ActorName } from '#api/dashboard/browser/parts/names.tsx';
import { isolated } from '#api/dashboard/browser/parts/isolated.ts';

/** One incident: its alerts as the reasons, what it comes to, what was done about it, and what can be done with all of it at once. */
export function IncidentPage() {
  const { id = '' } = useRoute().params;
  const reading = useReading('GET /v1/incidents/{id}', { params: { id } });
  return reading.data ? (
    <OneIncident key={id} incident={reading.data} />
  ) : (
    <Page title="Incident">
      <Loaded reading={reading}>{() => null}</Loaded>
    </Page>
  );
}

function OneIncident({ incident }: { incident: IncidentDetail }) {
  const undoing = useUndo({ keyed: true });
  const acting = useIncidentAction((acted, name) => undoing.offer(undoOfIncidents([acted], name)));
  const snoozing = useSnooze(snoozed =>
    undoing.offer({ text: snoozedText(snoozed.length), undo: () => snoozing.wake(snoozed) }),
  );
  const assigning = useAssign(undoing.offer, () => {});
  useKeys({
    s: () => snoozing.ask([incident]),
    i: () => assigning.take([incident]),
    t: () => assigning.ask([incident]),
    ...Object.fromEntries(
      alertActions.flatMap(({ name, key }) => (key ? [[key, () => acting.start(incident, name)]] : [])),
    ),
  });
  const { alerts, alert_count, first_at, last_at } = incident;
  const all = `/alerts?state=any&incident_id=${incident.id}`;
  return (
    <Page
      title={incident.title}
      eyebrow={
        <>
          <a href="/incidents">Incidents</a> / <IncidentAgents of={incident} />
        </>
      }
      actions={
        <>
          <IncidentButtons incident={incident} acting={acting} />
          <SnoozeButton incident={incident} snoozing={snoozing} />
        </>
      }
    >
      {acting.shown}
      {snoozing.shown}
      {assigning.shown}
      {undoing.shown}
      <IncidentTotals of={incident} />
      <div class="beside">
        <div>
          <Section title="Why it was flagged" actions={<a href={all}>View as a list</a>}>
            <IncidentReasons alerts={alerts} agents={incident.agent_id === null} payments />
            {alert_count > alerts.length && (
              <p>
                Showing the newest {countText(alerts.length)}. <a href={all}>View all {countText(alert_count)}</a>
              </p>
            )}
          </Section>
        </div>
        <div>
          <Section title="Next steps">
            <IncidentAssignee incident={incident} assigning={assigning} />
            <Cases incident={incident} />
            <div class="actions">
              <AlertMandate alerts={alerts} />
              {alerts.length === alert_count && (
                <a class="button" href={`/packs?new=1&alert_id=${alerts.map(({ id }) => id).join('%20')}`}>
                  Build pack
                </a>
              )}
            </div>
          </Section>
          <Section title="History">
            <IncidentHistory incident={incident} />
          </Section>
          <Section title="Details">
            <Facts
              of={[
                ['Incident ID', <Copy text={incident.id} />],
                ['First activity', <Time at={first_at} />],
                ['Last activity', <Time at={last_at} />],
              ]}
            />
          </Section>
        </div>
      </div>
    </Page>
  );
}

/** The cases that its alerts are in. */
function Cases({ incident: { alerts } }: { incident: IncidentDetail }) {
  const ids = [...new Set(alerts.flatMap(({ case_id }) => case_id ?? []))];
  if (ids.length === 0) return <p class="quiet">Not in a case. Escalating opens one with all its alerts.</p>;
  return (
    <>
      {ids.map(id => (
        <InCase key={id} id={id} />
      ))}
    </>
  );
}

function InCase({ id }: { id: string }) {
  const { data } = useReading('GET /v1/cases/{id}', { params: { id } });
  return (
    <p>
      In case <a href={`/cases/${id}`}>{isolated(data?.title ?? id)}</a> {data && <Badge of={data.status} />}
    </p>
  );
}

/** What is done with several alerts one by one, as undoing does, takes no longer. */
const AT_ONCE = 10_000;

type Act = IncidentDetail['alerts'][number]['actions'][number] & { count: number };

/** Actions, newest first; what one person did with several alerts at once is one act. */
function actsOf(alerts: IncidentDetail['alerts']): Act[] {
  const acts: Act[] = [];
  const actions = alerts.flatMap(alert => alert.actions);
  for (const action of actions.toSorted((a, b) => b.at.localeCompare(a.at) || b.id.localeCompare(a.id))) {
    const last = acts.at(-1);
    const isSame =
      last?.action === action.action &&
      last.actor_id === action.actor_id &&
      last.reason === action.reason &&
      Date.parse(last.at) - Date.parse(action.at) < AT_ONCE;
    if (isSame) last.count += 1;
    else acts.push({ ...action, count: 1 });
  }
  return acts;
}

/** What was done with the alerts of an incident, and to whom it was assigned, newest first. */
function IncidentHistory({ incident: { alerts, assignments, created_at } }: { incident: IncidentDetail }) {
  const entries = [
    ...actsOf(alerts).map(act => ({ ...act, what: <Acted act={act} /> })),
    ...assignments.map(given => ({
      ...given,
      id: `${given.at} ${given.to}`,
      reason: null,
      what: <Assigned given={given} />,
    })),
  ];
  return (
    <ol class="timeline">
      {entries
        .toSorted((a, b) => b.at.localeCompare(a.at))
        .map(({ id, actor_id, what, at, reason }) => (
          <li key={id}>
            <span>
              <ActorName id={actor_id} /> {what}
            </span>
            <Time at={at} ago />
            {reason && <p class="said">{reason}</p>}
          </li>
        ))}
      <li>
        <span>First alert raised</span>
        <Time at={created_at} ago />
      </li>
    </ol>
  );
}

const Acted = ({ act: { action, count } }: { act: Act }) => (
  <>
    {alertActions.find(({ name }) => name === action)?.done ?? action}{' '}
    {count === 1 ? '1 alert' : `${countText(count)} alerts`}
  </>
);

function Assigned({ given: { actor_id, to } }: { given: IncidentDetail['assignments'][number] }) {
  if (to === null) return 'removed the assignee';
  if (to === actor_id) return 'took the incident';
  return (
    <>
      assigned the incident to <ActorName id={to} within />
    </>
  );
}
