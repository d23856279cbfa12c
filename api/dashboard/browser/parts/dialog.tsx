import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { isolated } from './isolated.ts';

/**
 * A dialog over the page (the browser's own: it keeps the focus, and Escape closes it). It is there while it is shown. A `firm` one is
 * closed by its buttons alone: it shows what is shown once.
 */
export function Dialog({
  title,
  close,
  firm = false,
  children,
}: {
  title: string;
  close: () => void;
  firm?: boolean;
  children: ComponentChildren;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  const gone = useRef(false);
  const pressedOn = useRef<EventTarget | null>(null);
  // Before the next key is pressed: what somebody types at once is for the dialog.
  useLayoutEffect(() => {
    const before = document.activeElement;
    const shown = dialog.current;
    shown?.showModal();
    if (!dialog.current?.querySelector('[autofocus]')) dialog.current?.querySelector<HTMLElement>(first)?.focus();
    // The browser gives the focus back only to what it closes itself.
    return () => {
      // Until it is closed, nothing behind it takes the focus.
      gone.current = true;
      shown?.close();
      const back = before instanceof HTMLElement && before.isConnected ? before : document.querySelector('h1');
      back?.focus();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      aria-label={title}
      onClose={() => gone.current || close()}
      onCancel={event => {
        if (firm) event.preventDefault();
      }}
      // A browser asks about the first Escape only, and closes at the second.
      onKeyDown={event => {
        if (firm && event.key === 'Escape') event.preventDefault();
      }}
      onPointerDown={event => {
        pressedOn.current = event.target;
      }}
      // Beside it, and not where a text was selected until there.
      onClick={event => {
        if (event.target === dialog.current && pressedOn.current === dialog.current && !firm) close();
      }}
    >
      <div class="dialog-body">
        <header>
          <h2>{isolated(title)}</h2>
          <button type="button" class="plain" aria-label="Close" onClick={close}>
            ✕
          </button>
        </header>
        {children}
      </div>
    </dialog>
  );
}

/** Where somebody begins who presses keys: not at what closes the dialog, nor at what destroys something. */
const first = 'form :is(input, select, textarea, button:not(.danger))';
