import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

/** So long, in milliseconds, something that was done can be undone. */
const OFFERED = 10_000;

type Offer = { text: string; undo: () => Promise<unknown> };

/** Offers to undo what was just done, for ten seconds or until something else is done. */
export function useUndo(): { offer: (offer: Offer) => void; undo: () => void; shown: ComponentChildren } {
  const [offered, setOffered] = useState<Offer | null>(null);
  const current = useRef<Offer | null>(null);
  const timer = useRef<number | undefined>(undefined);
  const put = (next: Offer | null) => {
    clearTimeout(timer.current);
    current.current = next;
    setOffered(next);
  };
  useEffect(() => () => clearTimeout(timer.current), []);
  const undo = () => {
    const last = current.current;
    put(null);
    void last?.undo();
  };
  return {
    offer(next) {
      put(next);
      timer.current = window.setTimeout(() => put(null), OFFERED);
    },
    undo,
    shown: (
      <div class="toasts" role="status">
        {offered && (
          <p class="toast">
            <span>{offered.text}</span>
            <button type="button" onClick={undo} aria-keyshortcuts="u">
              Undo <kbd>u</kbd>
            </button>
          </p>
        )}
      </div>
    ),
  };
}
