import { useRef, useState } from 'preact/hooks';
import type { Column } from '#api/dashboard/browser/parts/table.tsx';

/** The rows of a queue that are selected, by id. What a key has selected the next key knows of, drawn or not. */
export function useSelection() {
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const latest = useRef<ReadonlySet<string>>(new Set());
  const set = (ids: Iterable<string>) => {
    latest.current = new Set(ids);
    setSelected(latest.current);
  };
  const toggle = (id: string) =>
    set(latest.current.has(id) ? [...latest.current].filter(other => other !== id) : [...latest.current, id]);
  const column: Column<{ id: string; title: string }> = {
    name: 'Select',
    unnamed: true,
    show: ({ id, title }) => (
      <label class="pick">
        <input type="checkbox" aria-label={`Select: ${title}`} checked={selected.has(id)} onChange={() => toggle(id)} />
      </label>
    ),
  };
  return {
    selected,
    /** Where each row can be selected. */
    column,
    /** Asked for when something is done, not when it is drawn. */
    isAny: () => latest.current.size > 0,
    has: (id: string) => latest.current.has(id),
    set,
    drop: (ids: readonly string[]) => set([...latest.current].filter(id => !ids.includes(id))),
    toggle,
  };
}
