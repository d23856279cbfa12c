import { useLocation } from 'preact-iso';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useKeys } from '#api/dashboard/browser/parts/keys.ts';
import type { Acting } from './use_alert_action.tsx';
import { type ActionName, alertActions } from './alert_action_names.ts';

/** Where the mark was last, for whoever comes back from a row's page to the queue. */
let last: string | null = null;

/**
 * The mark on one row of a queue, and the keys that move it, open its page under `at_path`, select it, act on it and undo that. The focus
 * goes with it, to the link of its row, so that a screen reader reads what is marked, and the browser keeps it in view. Keys may be
 * pressed faster than the page is drawn, or an action answered: each is about the row that the one before it moved to.
 */
export function useMark<T extends { id: string }>(
  at_path: string,
  rows: T[],
  { busy, isRunning, failed }: Pick<Acting<T>, 'busy' | 'isRunning' | 'failed'>,
  acts: {
    start: (row: T, name: ActionName) => void;
    toggle: (id: string) => void;
    undo: () => void;
    /** What other keys do with the row. */
    keys?: Record<string, (row: T) => void>;
  },
) {
  const { route } = useLocation();
  const [marked, setMarked] = useState(last);
  const [keysShown, showKeys] = useState(false);
  const [, redraw] = useState(0);
  const place = useRef({ rows, marked });
  place.current = { rows, marked };
  const at = () =>
    Math.max(
      place.current.rows.findIndex(({ id }) => id === place.current.marked),
      0,
    );
  const current = () => place.current.rows[at()];
  const wanted = useRef<string | null>(null);
  const mark = (id: string) => {
    last = id;
    place.current.marked = id;
    setMarked(id);
  };
  const put = (row: T | undefined) => {
    if (!row) return;
    mark(row.id);
    wanted.current = row.id;
    redraw(times => times + 1);
  };
  useEffect(() => {
    // A dialog keeps the focus until it is closed.
    if (wanted.current === null || document.querySelector('dialog[open]')) return;
    linkOf(wanted.current)?.focus();
    wanted.current = null;
  });
  useEffect(() => {
    if (at() > 0) linkOf(current()?.id ?? '')?.scrollIntoView({ block: 'center' });
  }, [rows.length > 0]);
  /** Called when an action was answered: whoever has gone elsewhere meanwhile stays there. */
  const goOn = (from: string, row: T | undefined) => {
    const isElsewhere = last !== null && last !== from && place.current.rows.some(({ id }) => id === last);
    if (!isElsewhere) put(row);
  };
  const latest = useRef(acts);
  latest.current = acts;
  const held = useRef<(() => void)[]>([]);
  useEffect(() => {
    if (failed || document.querySelector('dialog[open]')) held.current = [];
    if (busy || isRunning() || held.current.length === 0) return;
    // One at a time: it may open a dialog, which ends the others.
    held.current.shift()?.();
    redraw(times => times + 1);
  });
  /** What is pressed while an action is under way is about the row that it leads to, and waits for it. */
  const inTurn =
    (act: () => void, isAction = false) =>
    () => {
      if (held.current.length > 0 || (isAction && isRunning())) held.current.push(act);
      else act();
    };
  const onCurrent = (act: (row: T) => void) => () => {
    const row = current();
    if (row) act(row);
  };
  const move = (by: number) => () => put(place.current.rows[at() + by]);
  const open = onCurrent(({ id }) => route(`${at_path}/${id}`));
  const actions = alertActions.flatMap(({ name, key }) =>
    key
      ? [
          [
            key,
            inTurn(
              onCurrent(row => latest.current.start(row, name)),
              true,
            ),
          ] as const,
        ]
      : [],
  );
  useKeys({
    j: inTurn(move(1)),
    ArrowDown: inTurn(move(1)),
    k: inTurn(move(-1)),
    ArrowUp: inTurn(move(-1)),
    o: inTurn(open),
    Enter: inTurn(open),
    x: inTurn(onCurrent(({ id }) => latest.current.toggle(id))),
    ...Object.fromEntries(
      Object.keys(acts.keys ?? {}).map(key => [
        key,
        inTurn(
          onCurrent(row => latest.current.keys?.[key]?.(row)),
          true,
        ),
      ]),
    ),
    u: inTurn(() => latest.current.undo(), true),
    '?': () => showKeys(true),
    ...Object.fromEntries(actions),
  });
  const markRowOf = (target: EventTarget | null) => {
    const id = target instanceof Element ? target.closest('tr[id]')?.id.slice('row-'.length) : undefined;
    if (id) mark(id);
  };
  return {
    current: current(),
    /** Goes on from a row that was acted on to the next one, or stays on the last. */
    nextOf(id: string) {
      const { rows } = place.current;
      const index = rows.findIndex(row => row.id === id);
      goOn(id, rows[index + 1] ?? rows[index]);
    },
    stay: () => put(current()),
    clicked: (event: Event) => markRowOf(event.target),
    focused: (event: Event) => markRowOf(event.target),
    keysShown,
    showKeys,
  };
}

const linkOf = (id: string): HTMLElement | null => document.querySelector(`#row-${id} a.opens`);
