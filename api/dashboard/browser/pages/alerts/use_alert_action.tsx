import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { BodyOf } from '#api/client/call.ts';
import type { Alert } from '#shared/casework/alerts.ts';
import { Confirm } from '#api/dashboard/browser/parts/confirm.tsx';
import { ProblemNote } from '#api/dashboard/browser/parts/problem_note.tsx';
import type { Problem } from '#api/dashboard/browser/reading/problem.ts';
import { putReading, refreshAll } from '#api/dashboard/browser/reading/store.ts';
import { useChange } from '#api/dashboard/browser/reading/use_change.ts';
import { type ActionName, type AlertActionKind, allowedActions } from './alert_action_names.ts';

/** Acting on alerts, or on what is made of them. */
export type Acting<T> = {
  /** Takes an action, or asks for its reason first. Nothing happens where the state does not allow it. */
  start: (thing: T, name: ActionName) => void;
  busy: boolean;
  isRunning: () => boolean;
  /** Whether the last action was refused. */
  failed: boolean;
  /** The dialog that asks, and what went wrong without one. */
  shown: ComponentChildren;
};

/** Acting on an alert; `after` hears of what was done. */
export function useAlertAction(after: (alert: Alert, name: ActionName) => void): Acting<Alert> {
  const { run, ...change } = useChange('POST /v1/alerts/{id}/actions', { refresh: false });
  const send: Send<Alert> = async ({ id }, body) => {
    const done = await run({ params: { id }, body });
    if (done) putReading('GET /v1/alerts/{id}', { params: { id: done.id } }, done);
    return done;
  };
  return useActing<Alert>({ ...change, send, allowed: allowedActions }, after);
}

/** Sends an action, and keeps what was answered; null where it was refused. */
export type Send<T> = (thing: T, body: BodyOf<'POST /v1/alerts/{id}/actions'>) => Promise<T | null>;

type Change<T> = {
  send: Send<T>;
  allowed: (thing: T) => AlertActionKind[];
  busy: boolean;
  isRunning: () => boolean;
  problem: Problem | null;
  clear: () => void;
};

/** Acting on something through a change of it; `after` hears of what was done. */
export function useActing<T extends { id: string; title: string }>(
  { send, allowed, busy, isRunning, problem, clear }: Change<T>,
  after: (thing: T, name: ActionName) => void,
): Acting<T> {
  const [asking, setAsking] = useState<{ thing: T; action: AlertActionKind } | null>(null);
  const act = async (thing: T, name: ActionName, reason: string) => {
    const done = await send(thing, { action: name, ...(reason && { reason }) });
    if (!done) return null;
    // The next key may be pressed at once: what the action did is known, and everything else follows.
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
    isRunning,
    failed: problem !== null,
    start(thing, name) {
      const action = allowed(thing).find(action => action.name === name);
      if (!action || busy) return;
      if (action.reason) setAsking({ thing, action });
      else void act(thing, name, '');
    },
    shown: asking?.action.reason ? (
      <Confirm
        title={`${asking.action.label}: ${asking.thing.title}`}
        button={asking.action.label}
        reason={asking.action.reason}
        act={reason => act(asking.thing, asking.action.name, reason)}
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
export const AlertButtons = ({ alert, acting }: { alert: Alert; acting: Acting<Alert> }) => (
  <ActionButtons of={allowedActions(alert)} busy={acting.busy} start={name => acting.start(alert, name)} />
);

/** A button for each of these actions. */
export const ActionButtons = ({
  of,
  busy,
  start,
}: {
  of: AlertActionKind[];
  busy: boolean;
  start: (name: ActionName) => void;
}) => (
  <>
    {of.map(({ name, label, key }) => (
      <button
        key={name}
        type="button"
        class={name === 'escalate' ? 'main' : undefined}
        aria-keyshortcuts={key ?? undefined}
        disabled={busy}
        onClick={() => start(name)}
      >
        {label}
      </button>
    ))}
  </>
);
