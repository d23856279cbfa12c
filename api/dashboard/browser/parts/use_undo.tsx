import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { type Problem, problemOf } from '#api/dashboard/browser/reading/problem.ts';
import { useKeys } from './keys.ts';
import { ProblemNote } from './problem_note.tsx';

/** So long, in milliseconds, something that was done can be undone. */
export const UNDO_OFFERED = 10_000;

/** What was done, in words, and what undoes it. */
export type Offer = { text: string; undo: () => Promise<unknown> };

/** Offers to undo what was just done, for ten seconds or until something else is done; null: there is nothing to undo. `keyed`: by the key `u` too, where the page has no keys of its own. */
export function useUndo({ keyed = false } = {}): {
  offer: (offer: Offer | null) => void;
  undo: () => void;
  shown: ComponentChildren;
} {
  const [offered, setOffered] = useState<Offer | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
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
    void last?.undo().catch((thrown: unknown) => setProblem(problemOf(thrown)));
  };
  useKeys(keyed && offered ? { u: undo } : {});
  return {
    offer(next) {
      if (!next) return;
      setProblem(null);
      put(next);
      timer.current = window.setTimeout(() => put(null), UNDO_OFFERED);
    },
    undo,
    shown: (
      <>
        <ProblemNote problem={problem} />
        <UndoToast text={offered?.text ?? null} undo={undo} />
      </>
    ),
  };
}

/** What was done, while it can be undone. */
export const UndoToast = ({ text, undo }: { text: string | null; undo: () => void }) => (
  <div class="toasts" role="status">
    {text !== null && (
      <p class="toast">
        <span>{text}</span>
        <button type="button" onClick={undo} aria-keyshortcuts="u">
          Undo <kbd>u</kbd>
        </button>
      </p>
    )}
  </div>
);
