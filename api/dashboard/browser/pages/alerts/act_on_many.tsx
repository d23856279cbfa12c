import { useEffect, useRef, useState } from 'preact/hooks';
import type { Alert } from '#shared/casework/alerts.ts';
import { Dialog } from '#api/dashboard/browser/parts/dialog.tsx';
import { Form, TextField } from '#api/dashboard/browser/parts/form.tsx';
import { countText } from '#api/dashboard/browser/parts/format.ts';
import { change } from '#api/dashboard/browser/reading/operations.ts';
import { problemOf } from '#api/dashboard/browser/reading/problem.ts';
import { refreshAll } from '#api/dashboard/browser/reading/store.ts';
import { type ActionName, type AlertActionKind, alertActions, allowedActions } from './alert_action_names.ts';

/** What can be done with several at once. */
export const isForMany = (name: ActionName): boolean => forMany.has(name);
const forMany = new Set<ActionName>(['acknowledge', 'resolve', 'dismiss']);

/**
 * What can be done with all alerts that are selected; nothing is there while none is. `asking` is the action whose dialog is open, and
 * `ask` opens and closes it; `done` hears of each alert, and `over` when the last was acted on.
 */
export function ActOnMany({
  alerts,
  asking,
  ask,
  all,
  none,
  done,
  over,
}: {
  alerts: Alert[];
  asking: ActionName | null;
  ask: (name: ActionName | null) => void;
  all: () => void;
  none: () => void;
  done: (alert: Alert, name: ActionName) => void;
  over: () => void;
}) {
  if (alerts.length === 0) return null;
  const action = alertActions.find(({ name }) => name === asking);
  return (
    <div class="bar" role="group" aria-label="Selected alerts">
      <strong role="status">{countText(alerts.length)} selected</strong>
      {alertActions
        .filter(({ name }) => forMany.has(name))
        .map(({ name, label }) => (
          <button key={name} type="button" onClick={() => ask(name)}>
            {label}
          </button>
        ))}
      <button type="button" class="plain" onClick={all}>
        Select all shown
      </button>
      <button type="button" class="plain" onClick={none}>
        Select none
      </button>
      {action && (
        <ManyDialog
          action={action}
          alerts={alerts}
          done={done}
          close={() => {
            ask(null);
            none();
            over();
          }}
          cancel={() => ask(null)}
        />
      )}
    </div>
  );
}

type Outcome = { done: number; refused: { alert: Alert; why: string }[]; isOver: boolean };

/** Asks for the one reason, acts on one alert after the other until it is closed, and says what was refused. */
function ManyDialog({
  action: { name, label, reason, done: doneText },
  alerts,
  done,
  close,
  cancel,
}: {
  action: AlertActionKind;
  alerts: Alert[];
  done: (alert: Alert, name: ActionName) => void;
  close: () => void;
  cancel: () => void;
}) {
  const [text, setText] = useState('');
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const stopped = useRef(false);
  // Whoever leaves the page in the middle does not see what is done.
  useEffect(() => () => void (stopped.current = true), []);
  const stop = () => {
    stopped.current = true;
    close();
  };
  const act = async () => {
    let so: Outcome = { done: 0, refused: [], isOver: false };
    setOutcome(so);
    for (const alert of alerts) {
      if (stopped.current) break;
      const refused = allowedActions(alert).some(allowed => allowed.name === name)
        ? await actOn(alert)
        : `It is ${alert.state}; that cannot be ${doneText}.`;
      so = refused ? { ...so, refused: [...so.refused, { alert, why: refused }] } : { ...so, done: so.done + 1 };
      setOutcome(so);
    }
    await refreshAll();
    setOutcome({ ...so, isOver: true });
  };
  const actOn = async (alert: Alert): Promise<string | null> => {
    try {
      const given = text.trim();
      done(
        await change('POST /v1/alerts/{id}/actions', {
          params: { id: alert.id },
          body: { action: name, ...(given && { reason: given }) },
        }),
        name,
      );
      return null;
    } catch (thrown) {
      return problemOf(thrown).message;
    }
  };
  if (!outcome)
    return (
      <Dialog title={`${label} ${countText(alerts.length)} alerts`} close={cancel}>
        <Form send={act} busy={false} problem={null} button={`${label} ${countText(alerts.length)}`} cancel={cancel}>
          <p class="quiet">{reason?.about ?? 'Somebody has seen them; they stay to be dealt with.'}</p>
          {reason && (
            <TextField
              label={reason.label}
              hint="The same for all of them."
              value={text}
              set={setText}
              lines={3}
              required={reason.needed}
              maxLength={2_000}
              autoFocus
            />
          )}
        </Form>
      </Dialog>
    );
  const so = outcome.done + outcome.refused.length;
  return (
    <Dialog title={`${label} ${countText(alerts.length)} alerts`} close={stop}>
      <p role="status">
        {countText(outcome.done)} {doneText}
        {outcome.refused.length > 0 && `, ${countText(outcome.refused.length)} refused`}
        {!outcome.isOver && ` of ${countText(alerts.length)}…`}
      </p>
      <progress max={alerts.length} value={so} aria-label="Alerts acted on" />
      {outcome.refused.length > 0 && (
        <ul class="lines">
          {outcome.refused.map(({ alert, why }) => (
            <li key={alert.id}>
              <a href={`/alerts/${alert.id}`}>{alert.title}</a> <span class="wrong">{why}</span>
            </li>
          ))}
        </ul>
      )}
      <div class="actions">
        <button type="button" class={outcome.isOver ? 'main' : undefined} onClick={stop}>
          {outcome.isOver ? 'Done' : 'Stop'}
        </button>
      </div>
    </Dialog>
  );
}
