import { useRef, useState } from 'preact/hooks';

/** The rows of a queue that are selected, by id. What a key has selected the next key knows of, drawn or not. */
export function useSelection() {
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const latest = useRef<ReadonlySet<string>>(new Set());
  const set = (ids: Iterable<string>) => {
    latest.current = new Set(ids);
    setSelected(latest.current);
  };
  return {
    selected,
    /** Asked for when something is done, not when it is drawn. */
    isAny: () => latest.current.size > 0,
    set,
    toggle(id: string) {
      set(latest.current.has(id) ? [...latest.current].filter(other => other !== id) : [...latest.current, id]);
    },
  };
}
