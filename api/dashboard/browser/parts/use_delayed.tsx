import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { forgetUnsent, isUnsent, keepUnsent, sendUnsent, type Unsent } from '#api/dashboard/browser/reading/unsent.ts';
import { readerOf, useSession } from '#api/dashboard/browser/session.tsx';
import { useKeys } from './keys.ts';
import { UNDO_OFFERED, UndoToast } from './use_undo.tsx';

type Delayed = Pick<Unsent, 'text' | 'operation' | 'args'>;

/**
 * Holds back for ten seconds what cannot be taken back once it is sent; until then it can be undone. It is sent at once when the page is
 * left, and again by the next one where no answer came; `UnsentChanges` says what failed. `waiting`: something is held back or under way.
 */
export function useDelayed(): { delay: (delayed: Delayed) => void; waiting: boolean; shown: ComponentChildren } {
  const reader = readerOf(useSession());
  const [held, setHeld] = useState<Unsent | null>(null);
  const [sending, setSending] = useState(false);
  const pending = useRef<Unsent | null>(null);
  const timer = useRef<number | undefined>(undefined);
  const take = (): Unsent | null => {
    clearTimeout(timer.current);
    const taken = pending.current;
    pending.current = null;
    setHeld(null);
    return taken;
  };
  const send = async (keepalive: boolean) => {
    const taken = take();
    // Signing out sends it too.
    if (!taken || !isUnsent(taken.key)) return;
    setSending(true);
    await sendUnsent(taken, { keepalive });
    setSending(false);
  };
  const undo = () => {
    const taken = take();
    if (taken) forgetUnsent(taken.key);
  };
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
    delay(delayed) {
      const until = Date.now() + UNDO_OFFERED;
      const unsent = { ...delayed, key: crypto.randomUUID(), path: location.pathname, reader, until };
      pending.current = unsent;
      keepUnsent(unsent);
      setHeld(unsent);
      timer.current = window.setTimeout(() => void send(false), UNDO_OFFERED);
    },
    waiting: held !== null || sending,
    shown: <UndoToast text={held?.text ?? null} undo={undo} />,
  };
}
