import type { ScreeningQuery } from '#shared/screening/matcher/query.ts';
import { type LoadedList, screen } from '#shared/screening/matcher/screen.ts';
import { SECOND } from '#shared/values/time.ts';

/** Somebody to look for. `lists` names those to look in; all that are given when left out. */
export type Sought = { query: ScreeningQuery; threshold: number; limit: number; lists?: readonly string[] };

/** Why nothing can be said of somebody. `too_much`: the search took more than one may have, or ended the thread that was at it. */
type SearchFailure = { failed: string; too_much: boolean };

/** What was found, or why the matcher failed. */
export type Searched = ReturnType<typeof screen> | SearchFailure;

/** How long one question may take, and after how long the next ones give way to others; in milliseconds of the processor. */
type Times = { longest: number; turn: number };
const TIMES: Times = { longest: 2 * SECOND, turn: 100 };

/** Looks for one after the other, at least for the first. Answers fewer than were asked for where those took their turn's time. */
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

/** Tells how long this thread has worked since, in milliseconds: what others do on a crowded machine does not count. */
function stopwatch(): () => number {
  const start = process.threadCpuUsage();
  return () => {
    const { user, system } = process.threadCpuUsage(start);
    return (user + system) / 1_000;
  };
}
