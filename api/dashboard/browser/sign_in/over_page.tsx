import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

/** Covers the page, which stays as it is behind: what somebody has typed there is still there afterwards. */
export function OverPage({ children }: { children: ComponentChildren }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const before = document.activeElement;
    const title = document.title;
    // A modal one stands above a dialog that was open, and takes the keys.
    dialog.current?.showModal();
    return () => {
      document.title = title;
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      class="over-page"
      onCancel={event => event.preventDefault()}
      onKeyDown={event => event.key === 'Escape' && event.preventDefault()}
    >
      {children}
    </dialog>
  );
}
