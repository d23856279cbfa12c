import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { Mark } from '#api/dashboard/browser/parts/icon.tsx';

/** A page for whoever is not in yet. */
export function Lobby({ title, children }: { title: string; children: ComponentChildren }) {
  useEffect(() => {
    document.title = `${title} · Agent Payment Oversight`;
  }, [title]);
  return (
    <main class="lobby">
      <p class="eyebrow">
        <Mark /> Agent Payment Oversight
      </p>
      <h1>{title}</h1>
      {children}
    </main>
  );
}
