import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { type Problem, problemOf } from '#api/dashboard/browser/reading/problem.ts';
import { refreshAll } from '#api/dashboard/browser/reading/store.ts';
import { useKeys } from './keys.ts';
import { UNDO_OFFERED, UndoToast } from './use_undo.tsx';

type Pending = { text: string; send: (options: { keepalive: boolean }) => Promise<unknown> };

/**
 * Holds back for ten seconds what cannot be taken back once it is sent; until then it can be undone. It is sent at once when the page is
 * left. `waiting`: something is held back or under way.
 */
export function useDelayed(): {
  delay: (pending: Pending) => void;
  waiting: boolean;
  problem: Problem | null;
  shown: ComponentChildren;
} {
  const [held, setHeld] = useState<Pending | null>(null);
  const [sending, setSending] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const pending = useRef<Pending | null>(null);
  const timer = useRef<number | undefined>(undefined);
  const take = (): Pending | null => {
    clearTimeout(timer.current);
    const taken = pending.current;
    pending.current = null;
    setHeld(null);
    return taken;
  };
  const send = async (keepalive: boolean) => {
    const taken = take();
    if (!taken) return;
    setSending(true);
    try {
      await taken.send({ keepalive });
    } catch (thrown) {
      setProblem(problemOf(thrown));
    }
    await refreshAll();
    setSending(false);
  };
  const undo = () => void take();
  useKeys(held ? { u: undo } : {});
  useEffect(() => {
    const leave = () => void send(true);
    addEventListener('pagehide', leave);
    return () => {
      removeEventListener('pagehide', leave);
      leave();
    };
  }, []);
  return {
    delay(next) {
      setProblem(null);
      pending.current = next;
      setHeld(next);
      timer.current = window.setTimeout(() => void send(false), UNDO_OFFERED);
    },
    waiting: held !== null || sending,
    problem,
    shown: <UndoToast text={held?.text ?? null} undo={undo} />,
  };
}
