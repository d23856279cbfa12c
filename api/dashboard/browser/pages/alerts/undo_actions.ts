import type { Alert } from '#shared/casework/alerts.ts';
import { transitions } from '#shared/casework/alert_transitions.ts';
import { change } from '#api/dashboard/browser/reading/operations.ts';
import { refreshAll } from '#api/dashboard/browser/reading/store.ts';
import { countText } from '#api/dashboard/browser/parts/format.ts';
import { type ActionName, alertActions } from './alert_action_names.ts';

/** Of alerts as an action left them, those that it moved: it is the last thing that was done with them, and all were moved at once. */
export function movedBy(alerts: readonly Alert[], name: ActionName): Alert[] {
  const last = (alert: Alert) => alert.actions.at(-1);
  const at = alerts
    .flatMap(alert => last(alert)?.at ?? [])
    .toSorted()
    .at(-1);
  return alerts.filter(alert => last(alert)?.action === name && last(alert)?.at === at);
}

/**
 * Puts alerts back into the state they had before the last action on each. Their histories keep both, and a case that escalating opened
 * stays. Answers with the alerts as they are then; throws Problem where somebody else was faster.
 */
export async function undoLast(alerts: readonly Alert[]): Promise<Alert[]> {
  try {
    const undone: Alert[] = [];
    for (const alert of alerts) {
      const before = stateAfter(alert.actions.slice(0, -1));
      let now = await act(alert.id, 'reopen');
      if (before === 'acknowledged') now = await act(alert.id, 'acknowledge');
      if (before === 'escalated') now = await act(alert.id, 'escalate');
      undone.push(now);
    }
    return undone;
  } finally {
    await refreshAll();
  }
}

const act = (id: string, action: ActionName) =>
  change('POST /v1/alerts/{id}/actions', { params: { id }, body: { action } });

const stateAfter = (actions: Alert['actions']): Alert['state'] =>
  actions.reduce<Alert['state']>((state, { action }) => transitions[state][action] ?? state, 'open');

/** What was done with so many, by what they are called, and what undoing it leaves. */
export function undoText([one, many]: [one: string, many: string], count: number, name: ActionName): string {
  const done = alertActions.find(action => action.name === name)?.done ?? name;
  const what = count === 1 ? one : `${countText(count)} ${many}`;
  return `${what} ${done}.${name === 'escalate' ? ' Undoing leaves the case open.' : ''}`;
}
