import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Icon, type IconName } from './icon.tsx';

/** A button that opens a small panel under it. Escape, and a click elsewhere, close it. */
export function Pop({ icon, label, children }: { icon: IconName; label: string; children: ComponentChildren }) {
  const details = useRef<HTMLDetailsElement>(null);
  // What is closed is not there: it has labels that the page has too.
  const [open, setOpen] = useState(false);
  useEffect(() => {
    const close = (event: Event) => {
      const shown = details.current;
      if (!shown?.open) return;
      if (event instanceof KeyboardEvent ? event.key !== 'Escape' : shown.contains(event.target as Node)) return;
      shown.open = false;
      if (event instanceof KeyboardEvent) shown.querySelector('summary')?.focus();
    };
    document.addEventListener('pointerdown', close);
    document.addEventListener('keydown', close);
    return () => {
      document.removeEventListener('pointerdown', close);
      document.removeEventListener('keydown', close);
    };
  }, []);
  return (
    <details class="pop" ref={details} onToggle={event => setOpen(event.currentTarget.open)}>
      <summary class="button">
        <Icon name={icon} size={14} /> {label}
      </summary>
      {open && <div class="pop-body">{children}</div>}
    </details>
  );
}
