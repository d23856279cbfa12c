import { useLayoutEffect, useReducer } from 'preact/hooks';
import type { ArgsOf, DataOf, Operation } from '#api/client/call.ts';
import { keyOf, type Reading, readingOf, watch } from './store.ts';

/** How often what may change is asked for, in milliseconds. */
export const LIVE = 5_000;
/** For what stands beside what matters: counts, totals. */
export const SLOW = 30_000;
/** For what seldom changes, and is asked for again only after a change of ours, or when the page is seen again. */
export const STILL = Infinity;

/**
 * What the API answers to an operation, kept up to date while the component is there. `args` null: nothing is asked yet. The same
 * answer is the same object as long as it has not changed.
 */
export function useReading<O extends Operation>(
  operation: O,
  args: ArgsOf<O> | null,
  every: number = LIVE,
): Reading<DataOf<O>> {
  const [, redraw] = useReducer<number, void>(times => times + 1, 0);
  const key = args && keyOf(operation, args);
  // Not after the next frame, as an effect would: what a first page asks for is what it waits for.
  useLayoutEffect(() => (args ? watch(operation, args, every, redraw) : undefined), [key, every]);
  return key === null ? { data: null, problem: null, as_of: null } : readingOf<DataOf<O>>(key);
}
