import { useRoute } from 'preact-iso';
import type { QueryOf } from '#api/client/call.ts';
import type { Alert, AlertDetail } from '#shared/casework/alerts.ts';
import { Badge } from '#api/dashboard/browser/parts/badge.tsx';
import { keyText, shortened, wordsOf } from '#api/dashboard/browser/parts/format.ts';
import { useKeys } from '#api/dashboard/browser/parts/keys.ts';
import { AgentName } from '#api/dashboard/browser/parts/names.tsx';
import { Facts, Loaded, Page, Section } from '#api/dashboard/browser/parts/page.tsx';
import { useUndo } from '#api/dashboard/browser/parts/use_undo.tsx';
import { Copy, Time } from '#api/dashboard/browser/parts/values.tsx';
import { STILL, useReading } from '#api/dashboard/browser/reading/use_reading.ts';
import { alertActions } from './alert_action_names.ts';
import { AlertHistory } from './alert_history.tsx';
import { AlertMandate } from './alert_mandate.tsx';
import { AlertPayments } from './alert_payments.tsx';
import { Explanation } from './explanation.tsx';
import { undoOf } from './undo_actions.ts';
import { AlertButtons, useAlertAction } from './use_alert_action.tsx';
import { LessonAspect, weightText } from '#api/dashboard/browser/parts/lessons.tsx';
import { isolated } from '#api/dashboard/browser/parts/isolated.ts';

/** One alert: why it was raised, the payments behind it, what was done about it, and what can be done now. */
export function AlertPage() {
  const { id = '' } = useRoute().params;
  const reading = useReading('GET /v1/alerts/{id}', { params: { id } });
  return reading.data ? (
    <OneAlert key={id} alert={reading.data} />
  ) : (
    <Page title="Alert">
      <Loaded reading={reading}>{() => null}</Loaded>
    </Page>
  );
}

function OneAlert({ alert }: { alert: AlertDetail }) {
  const undoing = useUndo({ keyed: true });
  const acting = useAlertAction((acted, name) => undoing.offer(undoOf([acted], name)));
  const { data: detector } = useReading('GET /v1/detectors/{name}', { params: { name: alert.detector } }, STILL);
  useKeys(
    Object.fromEntries(alertActions.flatMap(({ name, key }) => (key ? [[key, () => acting.start(alert, name)]] : []))),
  );
  const mayEscalate = alert.state === 'open' || alert.state === 'acknowledged';
  return (
    <Page
      title={alert.title}
      eyebrow={
        <>
          <a href="/alerts">Alerts</a> / {wordsOf(alert.detector)}
        </>
      }
      actions={<AlertButtons alert={alert} acting={acting} />}
    >
      {acting.shown}
      {undoing.shown}
      <p class="totals">
        <Badge of={alert.severity} />
        <Badge of={alert.state} />
        <span>
          Score <strong>{alert.score}</strong> / 100
        </span>
        <span>
          Agent <AgentName id={alert.agent_id} />
        </span>
        <span class="quiet">
          Raised <Time at={alert.created_at} ago />
        </span>
      </p>
      <LessonNote alert={alert} />
      <div class="beside">
        <div>
          <Section title="Why it was flagged">
            <Explanation text={alert.explanation} />
            {detector && (
              <p class="quiet about">
                <a href={`/detectors/${detector.name}`}>{wordsOf(detector.name)}</a>: {detector.about}
              </p>
            )}
          </Section>
          <Section title="Related payments">
            <AlertPayments alert={alert} />
          </Section>
        </div>
        <div>
          <Section title="Next steps">
            <AlertIncident alert={alert} />
            <AlertCase alert={alert} />
            {alert.detector === 'sanctions_match' && <AlertScreening alert={alert} />}
            <div class="actions">
              {alert.case_id === null && !mayEscalate && (
                <a class="button" href={`/cases?new=1&alert_id=${alert.id}`}>
                  Create case
                </a>
              )}
              <AlertMandate alerts={[alert]} />
              <a class="button" href={`/packs?new=1&alert_id=${alert.id}`}>
                Build pack
              </a>
            </div>
          </Section>
          <Section title="History">
            <AlertHistory alert={alert} />
          </Section>
          <Others alert={alert} />
          <Section title="Details">
            <Facts
              of={[
                ['Alert ID', <Copy text={alert.id} />],
                ['Raised', <Time at={alert.created_at} />],
              ]}
            />
          </Section>
        </div>
      </div>
    </Page>
  );
}

/** What else belongs to it: where all of it can be dealt with at once. */
function AlertIncident({ alert: { incident_id } }: { alert: Alert }) {
  const { data } = useReading('GET /v1/incidents/{id}', { params: { id: incident_id } });
  return (
    <p>
      Part of incident <a href={`/incidents/${incident_id}`}>{isolated(data?.title ?? shortened(incident_id))}</a>{' '}
      {data && <Badge of={data.state} />}
    </p>
  );
}

function AlertCase({ alert: { case_id } }: { alert: Alert }) {
  const { data } = useReading('GET /v1/cases/{id}', case_id ? { params: { id: case_id } } : null);
  if (!case_id) return <p class="quiet">Not in a case</p>;
  return (
    <p>
      In case <a href={`/cases/${case_id}`}>{isolated(data?.title ?? case_id)}</a> {data && <Badge of={data.status} />}
    </p>
  );
}

/** Of a payee that may be on a list: where it is decided whether it is. */
function AlertScreening({ alert: { event_ids } }: { alert: Alert }) {
  const [id] = event_ids;
  const { data: event } = useReading('GET /v1/events/{id}', id ? { params: { id } } : null, STILL);
  const { data: payee } = useReading(
    'GET /v1/payees/{id}',
    event?.payee_id ? { params: { id: event.payee_id } } : null,
  );
  return (
    payee?.screening_id && (
      <p>
        <a href={`/screenings/${payee.screening_id}`}>Review screening of {payee.name ?? keyText(payee.key)}</a>{' '}
        <Badge of={payee.screening_state} />
      </p>
    )
  );
}

/** What else was raised about this agent. */
function Others({ alert: { id, agent_id, detector } }: { alert: Alert }) {
  const similar = useReading('GET /v1/alerts', { query: { agent_id, detector: nameOf(detector), limit: 10 } }, STILL);
  const open = useReading('GET /v1/alerts', { query: { agent_id, state: 'open', limit: 20 } }, STILL);
  const others = (alerts: Alert[]) => alerts.filter(alert => alert.id !== id);
  return (
    <>
      <Section title="Similar alerts for this agent">
        <Loaded reading={similar}>
          {({ data }) => (
            <AlertLines
              alerts={others(data)}
              none="No similar alerts"
              more={`/alerts?state=any&agent_id=${agent_id}&detector=${detector}`}
            />
          )}
        </Loaded>
      </Section>
      <Section title="Other open alerts for this agent">
        <Loaded reading={open}>
          {({ data }) => (
            <AlertLines
              alerts={others(data).filter(alert => alert.detector !== detector)}
              none="No other open alerts"
              more={`/alerts?agent_id=${agent_id}`}
            />
          )}
        </Loaded>
      </Section>
    </>
  );
}

type DetectorName = QueryOf<'GET /v1/alerts'>['detector'];
/** An alert was raised by one of the detectors there are. */
const nameOf = (detector: string) => detector as DetectorName;

/** What closing an alert taught, in a line; nothing where it taught nothing. */
const LessonNote = ({ alert: { lesson, detector } }: { alert: AlertDetail }) =>
  lesson && (
    <p class="note">
      What the detector learned: <LessonAspect of={lesson} /> now count as <strong>{weightText(lesson.factor)}</strong>{' '}
      for {lesson.agent_id === null ? 'every agent' : 'this agent'}
      {lesson.peers_factor !== null &&
        lesson.peers_factor !== 1 &&
        ` and as ${weightText(lesson.peers_factor)} for other agents of the same owner`}
      . Manage it in <a href={`/detectors/${detector}`}>{wordsOf(detector)}</a>.
    </p>
  );

const MOST = 8;

/** A few alerts, a line each; `more` is where the rest of them are. */
const AlertLines = ({ alerts, none, more }: { alerts: Alert[]; none: string; more: string }) =>
  alerts.length === 0 ? (
    <p class="quiet">{none}</p>
  ) : (
    <>
      <ul class="lines graded">
        {alerts.slice(0, MOST).map(({ id, severity, title, state, created_at }) => (
          <li key={id}>
            <Badge of={severity} />
            <span>
              <a href={`/alerts/${id}`}>{isolated(title)}</a>{' '}
              <span class="quiet">
                {state}, <Time at={created_at} ago />
              </span>
            </span>
          </li>
        ))}
      </ul>
      {alerts.length > MOST && (
        <p>
          <a href={more}>View all</a>
        </p>
      )}
    </>
  );
