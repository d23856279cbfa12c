import type { ScreeningQuery } from '#shared/screening/matcher/query.ts';
import { type LoadedList, screen } from '#shared/screening/matcher/screen.ts';

/** Somebody to look for. `lists` names those to look in; all that are given when left out. */
export type Sought = { query: ScreeningQuery; threshold: number; limit: number; lists?: readonly string[] };

/** What was found, or why the matcher failed. */
export type Searched = ReturnType<typeof screen> | { failed: string };

/** Looks for one after the other. */
export const look = (lists: readonly LoadedList[], sought: readonly Sought[]): Searched[] =>
  sought.map(({ query, lists: names, ...bounds }) => {
    try {
      return screen(names ? lists.filter(({ name }) => names.includes(name)) : lists, query, bounds);
    } catch (error) {
      return { failed: String(error) };
    }
  });
