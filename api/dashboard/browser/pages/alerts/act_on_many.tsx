import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Dialog } from '#api/dashboard/browser/parts/dialog.tsx';
import { Form, TextField } from '#api/dashboard/browser/parts/form.tsx';
import { countText } from '#api/dashboard/browser/parts/format.ts';
import { problemOf } from '#api/dashboard/browser/reading/problem.ts';
import { refreshAll } from '#api/dashboard/browser/reading/store.ts';
import { isolated } from '#api/dashboard/browser/parts/isolated.ts';
import { type ActionName, type AlertActionKind, alertActions } from './alert_action_names.ts';

/** What can be done with several at once. */
export const isForMany = (name: ActionName): boolean => forMany.has(name);
const forMany = new Set<ActionName>(['acknowledge', 'escalate', 'resolve', 'dismiss']);

/** Rows of a queue that are acted on together. */
type Many<T> = {
  /** What they are called, one and several. */
  nouns: [one: string, many: string];
  /** Where the page of each is. */
  at_path: string;
  things: T[];
  /** Acts on one; throws Problem where it is refused. */
  act: (thing: T, name: ActionName, reason: string) => Promise<void>;
};

/**
 * What can be done with all rows that are selected; nothing is there while none is. `asking` is the action whose dialog is open, and
 * `ask` opens and closes it; `over` hears when the last was acted on.
 */
export function ActOnMany<T extends { id: string; title: string }>({
  asking,
  ask,
  all,
  none,
  over,
  more,
  isAllShown,
  ...many
}: Many<T> & {
  asking: ActionName | null;
  ask: (name: ActionName | null) => void;
  all: () => void;
  none: () => void;
  over: (name: ActionName) => void;
  /** What else can be done with them. */
  more?: ComponentChildren;
  /** Whether they are all that the page shows of more. */
  isAllShown: boolean;
}) {
  const { things, nouns } = many;
  if (things.length === 0) return null;
  const action = alertActions.find(({ name }) => name === asking);
  return (
    <div class="bar" role="group" aria-label={`Selected ${nouns[1]}`}>
      <strong role="status">
        {isAllShown ? `All ${countText(things.length)} shown selected` : `${countText(things.length)} selected`}
      </strong>
      {alertActions
        .filter(({ name }) => forMany.has(name))
        .map(({ name, label }) => (
          <button key={name} type="button" onClick={() => ask(name)}>
            {label}
          </button>
        ))}
      {more}
      <button type="button" class="plain" onClick={all}>
        Select all
      </button>
      <button type="button" class="plain" onClick={none}>
        Clear selection
      </button>
      {action && (
        <ManyDialog
          {...many}
          action={action}
          close={() => {
            ask(null);
            none();
            over(action.name);
          }}
          cancel={() => ask(null)}
        />
      )}
    </div>
  );
}

type Outcome<T> = { done: number; refused: { thing: T; why: string }[]; isOver: boolean };

/** Asks for the one reason where there is one to give, acts on one after the other until it is closed, and says what was refused. */
function ManyDialog<T extends { id: string; title: string }>({
  action: { name, label, reason, done: doneText },
  nouns,
  at_path,
  things,
  act,
  close,
  cancel,
}: Many<T> & { action: AlertActionKind; close: () => void; cancel: () => void }) {
  const [text, setText] = useState('');
  const [outcome, setOutcome] = useState<Outcome<T> | null>(null);
  const stopped = useRef(false);
  // Whoever leaves the page in the middle does not see what is done.
  useEffect(() => () => void (stopped.current = true), []);
  // What asks for no reason is done at once, as it is with one.
  useEffect(() => {
    if (!reason) void actOnAll();
  }, []);
  const stop = () => {
    stopped.current = true;
    close();
  };
  const actOnAll = async () => {
    const refused: Outcome<T>['refused'] = [];
    let so: Outcome<T> = { done: 0, refused, isOver: false };
    setOutcome(so);
    for (const thing of things) {
      if (stopped.current) break;
      try {
        await act(thing, name, text.trim());
        so = { done: so.done + 1, refused, isOver: false };
      } catch (thrown) {
        refused.push({ thing, why: problemOf(thrown).message });
      }
      setOutcome({ ...so });
    }
    await refreshAll();
    if (so.refused.length === 0) stop();
    else setOutcome({ ...so, isOver: true });
  };
  const title = `${label} ${countText(things.length)} ${things.length === 1 ? nouns[0] : nouns[1]}`;
  if (!outcome)
    return (
      <Dialog title={title} close={cancel}>
        <Form send={actOnAll} busy={false} problem={null} button={title} cancel={cancel}>
          <p class="quiet">{reason?.about}</p>
          {reason && (
            <TextField
              label={reason.label}
              hint={`Applies to all selected ${nouns[1]}.`}
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
    <Dialog title={title} close={stop}>
      <p role="status">
        {countText(outcome.done)} {doneText}
        {outcome.refused.length > 0 && `, ${countText(outcome.refused.length)} failed`}
        {!outcome.isOver && ` of ${countText(things.length)}…`}
      </p>
      <progress max={things.length} value={so} aria-label="Progress" />
      {outcome.refused.length > 0 && (
        <ul class="lines">
          {outcome.refused.map(({ thing, why }) => (
            <li key={thing.id}>
              <a href={`${at_path}/${thing.id}`}>{isolated(thing.title)}</a> <span class="wrong">{why}</span>
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
