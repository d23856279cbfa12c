import type { Incident, IncidentDetail } from '#shared/casework/incidents.ts';
import type { BodyOf } from '#api/client/call.ts';
import {
  type AlertActionKind,
  alertActions,
  allowedActions,
} from '#api/dashboard/browser/pages/alerts/alert_action_names.ts';
import type { ActionName } from '#api/dashboard/browser/pages/alerts/alert_action_names.ts';
import {
  ActionButtons,
  type Acting,
  type Send,
  useActing,
} from '#api/dashboard/browser/pages/alerts/use_alert_action.tsx';
import { putReading } from '#api/dashboard/browser/reading/store.ts';
import { useChange } from '#api/dashboard/browser/reading/use_change.ts';

/** An incident, with its alerts where they have been read. */
export type SomeIncident = Incident & Partial<Pick<IncidentDetail, 'alerts'>>;

/** Acting on all live alerts of an incident; `after` hears of what was done. */
export function useIncidentAction(after: (incident: SomeIncident, name: ActionName) => void): Acting<SomeIncident> {
  const { run, ...change } = useChange('POST /v1/incidents/{id}/actions', { refresh: false });
  const send: Send<SomeIncident> = async (incident, body) => {
    const done = await run(actionOn(incident, body));
    if (done) putReading('GET /v1/incidents/{id}', { params: { id: done.id } }, done);
    return done;
  };
  return useActing<SomeIncident>({ ...change, send, allowed: actionsOn }, after);
}

/** An action on what was seen of an incident: alerts that came since are not closed with those. */
export const actionOn = ({ id, alert_count }: Incident, body: BodyOf<'POST /v1/alerts/{id}/actions'>) => ({
  params: { id },
  body: { ...body, ...((body.action === 'dismiss' || body.action === 'resolve') && { alert_count }) },
});

/** What may be done with an incident: what one of its live alerts allows. While they are not read, what one of them may allow. */
function actionsOn({ state, acknowledged, alerts }: SomeIncident): AlertActionKind[] {
  if (state === 'closed') return [];
  const live = alerts?.filter(alert => alert.state !== 'resolved' && alert.state !== 'dismissed') ?? [];
  const names = new Set(live.flatMap(alert => allowedActions(alert).map(({ name }) => name)));
  if (names.size > 0) return alertActions.filter(({ name }) => names.has(name));
  return alertActions.filter(({ name }) => name !== (acknowledged ? 'acknowledge' : 'reopen'));
}

/** The buttons of what may be done with an incident now. */
export const IncidentButtons = ({ incident, acting }: { incident: SomeIncident; acting: Acting<SomeIncident> }) => (
  <ActionButtons of={actionsOn(incident)} busy={acting.busy} start={name => acting.start(incident, name)} />
);
