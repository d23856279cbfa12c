import { useLocation } from 'preact-iso';
import { useState } from 'preact/hooks';
import type { Alert } from '#api/client/generated.ts';
import { useKeys } from '../../parts/keys.ts';
import { alertActions } from './alert_action_names.ts';
import type { AlertActing } from './use_alert_action.tsx';

/** Where the mark was last, for whoever comes back from an alert to the queue. */
let last: string | null = null;

/**
 * The mark on one row of the queue, and the keys that move it and act on its alert. The focus goes with it, to the link of its row, so
 * that a screen reader reads what is marked, and the browser keeps it in view.
 */
export function useMark(rows: Alert[], acting: AlertActing, toggle: (id: string) => void) {
  const { route } = useLocation();
  const [marked, setMarked] = useState(last);
  const [keysShown, showKeys] = useState(false);
  const at = Math.max(
    rows.findIndex(({ id }) => id === marked),
    0,
  );
  const current = rows[at];
  const put = (alert: Alert | undefined) => {
    if (!alert) return;
    last = alert.id;
    setMarked(alert.id);
    linkOf(alert.id)?.focus();
  };
  const onCurrent = (act: (alert: Alert) => void) => () => {
    if (current) act(current);
  };
  const move = (by: number) => () => put(rows[at + by]);
  const open = onCurrent(({ id }) => route(`/alerts/${id}`));
  const actions = alertActions.flatMap(({ name, key }) =>
    key ? [[key, onCurrent(alert => acting.start(alert, name))] as const] : [],
  );
  useKeys({
    j: move(1),
    ArrowDown: move(1),
    k: move(-1),
    ArrowUp: move(-1),
    o: open,
    Enter: open,
    x: onCurrent(({ id }) => toggle(id)),
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
    next: () => put(rows[at + 1] ?? current),
    stay: () => put(current),
    clicked: (event: Event) => markRowOf(event.target),
    focused: (event: Event) => markRowOf(event.target),
    keysShown,
    showKeys,
  };
}

const linkOf = (id: string): HTMLElement | null => document.querySelector(`#row-${id} a.opens`);
