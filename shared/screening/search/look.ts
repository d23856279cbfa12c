import type { ScreeningQuery } from '#shared/screening/matcher/query.ts';
import { type LoadedList, screen } from '#shared/screening/matcher/screen.ts';
import { SECOND } from '#shared/values/time.ts';

/** A party to search for. `lists` restricts the search to lists of these names. */
export type Sought = { query: ScreeningQuery; threshold: number; limit: number; lists?: readonly string[] };

/** Why a search failed. `too_much`: it took too long, or crashed its thread. */
type SearchFailure = { failed: string; too_much: boolean };

/** The matches, or why the search failed. */
export type Searched = ReturnType<typeof screen> | SearchFailure;

/** How long one search may take, and after how long a turn ends; in milliseconds of CPU time. */
type Times = { longest: number; turn: number };
const TIMES: Times = { longest: 2 * SECOND, turn: 100 };

/** Runs the searches one after the other, at least the first. Returns fewer results than searches when the turn's time is over. */
export function look(
  lists: readonly LoadedList[],
  sought: readonly Sought[],
  { longest, turn }: Times = TIMES,
): Searched[] {
  const results: Searched[] = [];
  const passed = stopwatch();
  for (const each of sought) {
    results.push(lookFor(lists, each, longest));
    if (passed() >= turn) break;
  }
  return results;
}

function lookFor(lists: readonly LoadedList[], sought: Sought, longest: number): Searched {
  const { query, lists: names, ...bounds } = sought;
  const passed = stopwatch();
  const isOver = () => passed() >= longest;
  try {
    return screen(names ? lists.filter(({ name }) => names.includes(name)) : lists, query, { ...bounds, isOver });
  } catch (error) {
    return { failed: String(error), too_much: isOver() };
  }
}

/** The CPU time that this thread has used since, in milliseconds: the load of other processes does not count. */
function stopwatch(): () => number {
  const start = process.threadCpuUsage();
  return () => {
    const { user, system } = process.threadCpuUsage(start);
    return (user + system) / 1_000;
  };
}
