import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { Dialog } from './dialog.tsx';
import { useKeys } from './keys.ts';

/**
 * The mark on one row of a list that has no keys of its own, and those that move and open it. The focus goes to the link of its row.
 * `shown`: the dialog that says which keys there are, while it is open.
 */
export function useListKeys(ids: string[], isOn: boolean): { current: string | null; shown: ComponentChildren } {
  const [current, setCurrent] = useState<string | null>(null);
  const latest = useRef<string | null>(null);
  const [keysShown, showKeys] = useState(false);
  const linkOf = (id: string | null) =>
    document.querySelector<HTMLElement>(`[id="row-${id}"] a:not(.quiet a), [id="row-${id}"] button`);
  const move = (by: number) => () => {
    const at = ids.indexOf(latest.current ?? '');
    const next = ids[at === -1 ? 0 : at + by];
    if (next === undefined) return;
    latest.current = next;
    setCurrent(next);
    linkOf(next)?.focus();
  };
  const acts: Record<string, () => void> = {
    j: move(1),
    k: move(-1),
    o: () => linkOf(latest.current)?.click(),
    '?': () => showKeys(true),
  };
  useKeys(isOn ? acts : {});
  return {
    current: ids.includes(current ?? '') ? current : null,
    shown: keysShown && (
      <Dialog title="Keyboard shortcuts" close={() => showKeys(false)}>
        <KeyList
          of={[
            ['j', 'Next row'],
            ['k', 'Previous row'],
            ['o Enter', 'Open'],
            ['/ Ctrl+K', 'Search'],
            ['?', 'Show keyboard shortcuts'],
          ]}
        />
      </Dialog>
    ),
  };
}

/** Which keys do what; several for one thing stand beside each other. */
export const KeyList = ({ of }: { of: [key: string, what: string][] }) => (
  <dl class="keys">
    {of.map(([key, what]) => (
      <div key={key}>
        <dt>
          {key.split(' ').map(one => (
            <kbd key={one}>{one}</kbd>
          ))}
        </dt>
        <dd>{what}</dd>
      </div>
    ))}
  </dl>
);
