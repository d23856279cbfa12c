import { useEffect, useReducer } from 'preact/hooks';
import { refreshAll, troubleOf, watchTrouble } from '#api/dashboard/browser/reading/store.ts';
import { Time } from './values.tsx';

/** Says once, above the page, that what it shows is no longer brought up to date, why, and since when. It goes when that is over. */
export function Trouble() {
  const [, redraw] = useReducer<number, void>(times => times + 1, 0);
  useEffect(() => watchTrouble(redraw), []);
  const trouble = troubleOf();
  if (!trouble) return null;
  return (
    <p class="problem trouble-note" role="alert">
      {trouble.problem.message} Last updated <Time at={new Date(trouble.as_of).toISOString()} />.{' '}
      <button type="button" class="link" onClick={() => void refreshAll()}>
        Retry now
      </button>
    </p>
  );
}
