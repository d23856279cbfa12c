import { useEffect, useReducer } from 'preact/hooks';
import {
  failuresOf,
  forgetUnsent,
  sendLeftBehind,
  sendUnsent,
  watchUnsent,
} from '#api/dashboard/browser/reading/unsent.ts';
import type { Problem } from '#api/dashboard/browser/reading/problem.ts';
import { readerOf, useSession } from '#api/dashboard/browser/session.tsx';

/** Says on every page what the reader decided and could not be saved, as after its own page was left. */
export function UnsentChanges() {
  const reader = readerOf(useSession());
  const [, redraw] = useReducer<number, void>(times => times + 1, 0);
  useEffect(() => {
    const stops = [watchUnsent(redraw), sendLeftBehind(reader)];
    return () => stops.forEach(stop => stop());
  }, [reader]);
  const failures = failuresOf(reader);
  if (failures.length === 0) return null;
  return (
    <>
      {failures.map(({ unsent, problem }) => (
        <div key={unsent.key} class="problem" role="alert">
          <p>
            Not saved: <a href={unsent.path}>“{unsent.text}”</a> {problem.message}
          </p>
          {problem.status === 409 && <p>Check what it is now, and decide again if you need to.</p>}
          <div class="actions">
            {mayPass(problem) && (
              <button type="button" onClick={() => void sendUnsent(unsent)}>
                Try again
              </button>
            )}
            <button type="button" onClick={() => forgetUnsent(unsent.key)}>
              {mayPass(problem) ? 'Discard' : 'Dismiss'}
            </button>
          </div>
        </div>
      ))}
    </>
  );
}

/** Whether the same may be saved later: the service was away, or wanted to know again who is there. */
const mayPass = ({ passes, status }: Problem) => passes || status === 401 || status === 403;
