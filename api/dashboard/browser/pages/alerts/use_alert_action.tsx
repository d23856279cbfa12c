import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { Alert } from '#shared/casework/alerts.ts';
import { Confirm } from '#api/dashboard/browser/parts/confirm.tsx';
import { ProblemNote } from '#api/dashboard/browser/parts/problem_note.tsx';
import { putReading, refreshAll } from '#api/dashboard/browser/reading/store.ts';
import { useChange } from '#api/dashboard/browser/reading/use_change.ts';
import { type ActionName, type AlertActionKind, allowedActions } from './alert_action_names.ts';

export type AlertActing = {
  /** Takes an action, or asks for its reason first. Nothing happens where the state does not allow it. */
  start: (alert: Alert, name: ActionName) => void;
  busy: boolean;
  /** The dialog that asks, and what went wrong without one. */
  shown: ComponentChildren;
};

/** Acting on an alert; `after` hears of what was done. */
export function useAlertAction(after: (alert: Alert, name: ActionName) => void): AlertActing {
  const { run, busy, problem, clear } = useChange('POST /v1/alerts/{id}/actions', { refresh: false });
  const [asking, setAsking] = useState<{ alert: Alert; action: AlertActionKind } | null>(null);
  const act = async (alert: Alert, name: ActionName, reason: string) => {
    const done = await run({ params: { id: alert.id }, body: { action: name, ...(reason && { reason }) } });
    if (!done) return null;
    // The next key may be pressed at once: what the action did is known, and everything else follows.
    putReading('GET /v1/alerts/{id}', { params: { id: alert.id } }, done);
    void refreshAll();
    after(done, name);
    return done;
  };
  const close = () => {
    setAsking(null);
    clear();
  };
  return {
    busy,
    start(alert, name) {
      const action = allowedActions(alert).find(action => action.name === name);
      if (!action || busy) return;
      if (action.reason) setAsking({ alert, action });
      else void act(alert, name, '');
    },
    shown: asking?.action.reason ? (
      <Confirm
        title={`${asking.action.label}: ${asking.alert.title}`}
        button={asking.action.label}
        reason={asking.action.reason}
        act={reason => act(asking.alert, asking.action.name, reason)}
        busy={busy}
        problem={problem}
        close={close}
      >
        <p class="quiet">{asking.action.reason.about}</p>
      </Confirm>
    ) : (
      <ProblemNote problem={problem} />
    ),
  };
}

/** The buttons of what may be done with an alert now. */
export const AlertButtons = ({ alert, acting }: { alert: Alert; acting: AlertActing }) => (
  <>
    {allowedActions(alert).map(({ name, label, key }) => (
      <button
        key={name}
        type="button"
        class={name === 'escalate' ? 'main' : undefined}
        aria-keyshortcuts={key ?? undefined}
        disabled={acting.busy}
        onClick={() => acting.start(alert, name)}
      >
        {label}
      </button>
    ))}
  </>
);
