import { useEffect, useState } from 'preact/hooks';

/** From this width on, a queue and what is marked in it stand side by side. */
export const ROOM_FOR_TWO = 1_100;

/** Whether the screen is so many CSS pixels wide or wider, as it is turned and windows are drawn. */
export function useScreen(width: number): boolean {
  const query = `(min-width: ${width}px)`;
  const [matches, setMatches] = useState(() => matchMedia(query).matches);
  useEffect(() => {
    const list = matchMedia(query);
    const changed = () => setMatches(list.matches);
    changed();
    list.addEventListener('change', changed);
    return () => list.removeEventListener('change', changed);
  }, [query]);
  return matches;
}
