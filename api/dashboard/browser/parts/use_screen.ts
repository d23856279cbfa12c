import { useEffect, useState } from 'preact/hooks';

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
