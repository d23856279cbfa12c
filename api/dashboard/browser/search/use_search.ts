import { useEffect, useState } from 'preact/hooks';
import type { DataOf } from '#api/client/call.ts';
import { ask } from '#api/dashboard/browser/reading/operations.ts';
import { type Problem, problemOf } from '#api/dashboard/browser/reading/problem.ts';

type Answer = DataOf<'GET /v1/search'>;

/** Long enough that a word typed at a usual pace is asked for once. */
const PAUSE = 120;

/**
 * What the service finds for a text, a moment after the last key. The answer of before stays until there is a new one, so that the list
 * does not jump; `searching` says that it is of before.
 */
export function useSearch(text: string): { answer: Answer | null; searching: boolean; problem: Problem | null } {
  const [shown, setShown] = useState<{ text: string; answer: Answer | null; problem: Problem | null }>({
    text: '',
    answer: null,
    problem: null,
  });
  useEffect(() => {
    if (text === '') return setShown({ text, answer: null, problem: null });
    let isWanted = true;
    const timer = setTimeout(() => {
      ask('GET /v1/search', { query: { q: text } }, null).then(
        reply => isWanted && setShown({ text, answer: reply?.data ?? null, problem: null }),
        (thrown: unknown) => isWanted && setShown({ text, answer: null, problem: problemOf(thrown) }),
      );
    }, PAUSE);
    return () => {
      isWanted = false;
      clearTimeout(timer);
    };
  }, [text]);
  return { answer: text === '' ? null : shown.answer, searching: shown.text !== text, problem: shown.problem };
}
