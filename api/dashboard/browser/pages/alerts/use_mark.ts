import { useLocation } from 'preact-iso';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useKeys } from '#api/dashboard/browser/parts/keys.ts';
import { type ActionName, alertActions } from './alert_action_names.ts';

/** Where the mark was last, for whoever comes back from a row's page to the queue. */
let last: string | null = null;

/**
 * The mark on one row of a queue, and the keys that move it, open its page under `at_path` and act on it. The focus goes with it, to the
 * link of its row, so that a screen reader reads what is marked, and the browser keeps it in view.
 */
export function useMark<T extends { id: string }>(
  at_path: string,
  rows: T[],
  start: (row: T, name: ActionName) => void,
  toggle?: (id: string) => void,
) {
  const { route } = useLocation();
  const [marked, setMarked] = useState(last);
  const [keysShown, showKeys] = useState(false);
  const [, redraw] = useState(0);
  const at = Math.max(
    rows.findIndex(({ id }) => id === marked),
    0,
  );
  const current = rows[at];
  const wanted = useRef<string | null>(null);
  const put = (row: T | undefined) => {
    if (!row) return;
    last = row.id;
    setMarked(row.id);
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
    if (at > 0) linkOf(rows[at]?.id ?? '')?.scrollIntoView({ block: 'center' });
  }, [rows.length > 0]);
  /** Called when an action was answered: whoever has gone elsewhere meanwhile stays there. */
  const goOn = (row: T | undefined) => {
    const isElsewhere = last !== current?.id && rows.some(({ id }) => id === last);
    if (!isElsewhere) put(row);
  };
  const onCurrent = (act: (row: T) => void) => () => {
    if (current) act(current);
  };
  const move = (by: number) => () => put(rows[at + by]);
  const open = onCurrent(({ id }) => route(`${at_path}/${id}`));
  const actions = alertActions.flatMap(({ name, key }) =>
    key ? [[key, onCurrent(row => start(row, name))] as const] : [],
  );
  useKeys({
    j: move(1),
    ArrowDown: move(1),
    k: move(-1),
    ArrowUp: move(-1),
    o: open,
    Enter: open,
    ...(toggle && { x: onCurrent(({ id }) => toggle(id)) }),
    '?': () => showKeys(true),
    ...Object.fromEntries(actions),
  });
  const markRowOf = (target: EventTarget | null) => {
    const id = target instanceof Element ? target.closest('tr[id]')?.id.slice('row-'.length) : undefined;
    if (!id) return;
    last = id;
    setMarked(id);
  };
  return {
    current,
    /** Goes on to the next row, or stays on the last. */
    next: () => goOn(rows[at + 1] ?? current),
    stay: () => goOn(current),
    clicked: (event: Event) => markRowOf(event.target),
    focused: (event: Event) => markRowOf(event.target),
    keysShown,
    showKeys,
  };
}

const linkOf = (id: string): HTMLElement | null => document.querySelector(`#row-${id} a.opens`);
