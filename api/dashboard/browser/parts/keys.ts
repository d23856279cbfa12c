import { useEffect, useRef } from 'preact/hooks';

const SETTING = 'keyboard_shortcuts';

/** Whether single keys do things. People who speak to their computer switch it off (WCAG 2.1.4). */
export const hasShortcuts = (): boolean => localStorage.getItem(SETTING) !== 'off';
export const setShortcuts = (on: boolean): void => localStorage.setItem(SETTING, on ? 'on' : 'off');

/** Where letters are text, or choose. A box to tick takes only the space bar. */
const writing = 'input:not([type=checkbox]), textarea, select, [contenteditable]';

/** Keys that go on while they are held; any other does what it does once. */
const repeating = new Set(['j', 'k', 'ArrowDown', 'ArrowUp']);

/** Does `acts[key]` when the key is pressed, unless somebody is writing, a dialog is open, or shortcuts are off. */
export function useKeys(acts: Record<string, () => void>): void {
  const latest = useRef(acts);
  latest.current = acts;
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || !hasShortcuts()) return;
      if (event.repeat && !repeating.has(event.key)) return;
      const target = event.target instanceof Element ? event.target : document.body;
      if (target.closest(writing) || document.querySelector('dialog[open]')) return;
      // Enter on a link or a button is that link's or button's.
      if (event.key === 'Enter' && target.closest('a, button, summary')) return;
      const act = latest.current[event.key];
      if (!act) return;
      event.preventDefault();
      act();
    };
    document.addEventListener('keydown', pressed);
    return () => document.removeEventListener('keydown', pressed);
  }, []);
}
