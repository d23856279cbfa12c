import type { SomeIncident } from '#api/dashboard/browser/pages/incidents/use_incident_action.tsx';
import type { Offer } from '#api/dashboard/browser/parts/use_undo.tsx';
import type { Alert } from '#shared/casework/alerts.ts';
import { transitions } from '#shared/casework/alert_transitions.ts';
import { change } from '#api/dashboard/browser/reading/operations.ts';
import { type Problem, problemOf } from '#api/dashboard/browser/reading/problem.ts';
import { refreshAll } from '#api/dashboard/browser/reading/store.ts';
import { countText } from '#api/dashboard/browser/parts/format.ts';
import { type ActionName, alertActions } from './alert_action_names.ts';

/** Of alerts as an action left them, those that it moved: it is the last thing that was done with them, and all were moved at once. */
function movedBy(alerts: readonly Alert[], name: ActionName): Alert[] {
  const last = (alert: Alert) => alert.actions.at(-1);
  const at = alerts
    .flatMap(alert => last(alert)?.at ?? [])
    .toSorted()
    .at(-1);
  return alerts.filter(alert => last(alert)?.action === name && last(alert)?.at === at);
}

/** What undoes an action on alerts, as it left them; null where nothing can. `undone` hears of the alerts. */
export function undoOf(alerts: Alert[], name: ActionName, undone: (alerts: Alert[]) => void = () => {}): Offer | null {
  return offerOf(alerts, name, undoText(['Alert', 'alerts'], alerts.length, name), undone);
}

/** What undoes an action on incidents, as it left them; null where nothing can. */
export function undoOfIncidents(incidents: readonly SomeIncident[], name: ActionName): Offer | null {
  // Of very many alerts not all are known here.
  const alerts = incidents.flatMap(({ alerts = [], alert_count }) =>
    alerts.length === alert_count ? movedBy(alerts, name) : [],
  );
  return offerOf(alerts, name, undoText(['Incident', 'incidents'], incidents.length, name));
}

function offerOf(
  alerts: Alert[],
  name: ActionName,
  text: string,
  undone: (alerts: Alert[]) => void = () => {},
): Offer | null {
  if (alerts.length === 0 || name === 'comment' || name === 'reopen') return null;
  return { text, undo: async () => undone(await undoLast(alerts)) };
}

/**
 * Puts alerts back into the state they had before the last action on each. Their histories keep both, and a case that escalating opened
 * stays. Answers with the alerts as they are then; throws Problem where somebody else was faster, once the others are put back.
 */
async function undoLast(alerts: readonly Alert[]): Promise<Alert[]> {
  const undone: Alert[] = [];
  let refused: Problem | null = null;
  for (const alert of alerts)
    try {
      const before = stateAfter(alert.actions.slice(0, -1));
      let now = await act(alert.id, 'reopen');
      if (before === 'acknowledged') now = await act(alert.id, 'acknowledge');
      if (before === 'escalated') now = await act(alert.id, 'escalate');
      undone.push(now);
    } catch (thrown) {
      refused = problemOf(thrown);
    }
  await refreshAll();
  if (refused) throw refused;
  return undone;
}

const act = (id: string, action: ActionName) =>
  change('POST /v1/alerts/{id}/actions', { params: { id }, body: { action } });

const stateAfter = (actions: Alert['actions']): Alert['state'] =>
  actions.reduce<Alert['state']>((state, { action }) => transitions[state][action] ?? state, 'open');

/** What was done with so many, by what they are called, and what undoing it leaves. */
function undoText([one, many]: [one: string, many: string], count: number, name: ActionName): string {
  const done = alertActions.find(action => action.name === name)?.done ?? name;
  const what = count === 1 ? one : `${countText(count)} ${many}`;
  return `${what} ${done}.${name === 'escalate' ? ' Undoing leaves the case open.' : ''}`;
}
