import { useEffect, useState } from 'preact/hooks';
import { Icon } from '#api/dashboard/browser/parts/icon.tsx';
import { useKeys } from '#api/dashboard/browser/parts/keys.ts';
import { Palette } from './palette.tsx';

const isMac = /mac|iphone|ipad/i.test(navigator.platform);

/** The button that opens the search, from every page; so do ⌘K or Ctrl+K, and `/`. */
export function Search() {
  const [open, setOpen] = useState(false);
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || event.altKey || event.shiftKey) return;
      if (isMac ? !event.metaKey : !event.ctrlKey) return;
      // What somebody is asked in a dialog is to be answered first.
      if (document.querySelector('dialog[open]:not(.palette)')) return;
      event.preventDefault();
      setOpen(was => !was);
    };
    document.addEventListener('keydown', pressed);
    return () => document.removeEventListener('keydown', pressed);
  }, []);
  useKeys({ '/': () => setOpen(true) });
  return (
    <>
      <button type="button" class="search-open" aria-haspopup="dialog" onClick={() => setOpen(true)}>
        <Icon name="search" />
        <span>Search</span>
        <kbd aria-hidden="true">{isMac ? '⌘K' : 'Ctrl K'}</kbd>
      </button>
      {open && <Palette close={() => setOpen(false)} />}
    </>
  );
}
