import { useEffect, useState } from 'preact/hooks';
import type { EventDetail } from '#shared/events/log/events.ts';
import { ask } from '#api/dashboard/browser/reading/operations.ts';
import { type Problem, problemOf } from '#api/dashboard/browser/reading/problem.ts';

/** So many are asked for at once. */
const AT_ONCE = 6;

/** Events as far as they have been read, in the order of their ids; `left` are still to come. */
export type SomeEvents = { events: EventDetail[]; left: number; problem: Problem | null };

/** After a failure the rest is asked for again. */
const AGAIN = 5_000;

/** Reads events by their ids, once: what was recorded does not change, and an alert may have a hundred. */
export function useEvents(ids: readonly string[]): SomeEvents {
  const [read, setRead] = useState<ReadonlyMap<string, EventDetail>>(new Map());
  const [problem, setProblem] = useState<Problem | null>(null);
  const [tries, setTries] = useState(0);
  const key = ids.join();
  useEffect(() => {
    let gone = false;
    const waiting = ids.filter(id => !read.has(id));
    const work = async () => {
      for (let id = waiting.shift(); id && !gone; id = waiting.shift()) {
        const answer = await ask('GET /v1/events/{id}', { params: { id } }, null);
        if (answer && !gone) setRead(known => new Map(known).set(answer.data.id, answer.data));
      }
    };
    let timer: number | undefined;
    Promise.all(Array.from({ length: AT_ONCE }, work)).then(
      () => !gone && setProblem(null),
      (thrown: unknown) => {
        if (gone) return;
        const failed = problemOf(thrown);
        setProblem(failed);
        timer = window.setTimeout(() => setTries(times => times + 1), failed.retry_after ?? AGAIN);
      },
    );
    return () => {
      gone = true;
      clearTimeout(timer);
    };
  }, [key, tries]);
  const events = ids.flatMap(id => read.get(id) ?? []);
  return { events, left: ids.length - events.length, problem };
}
