import { newEntry } from '#shared/screening/lists/draft.ts';
import type { ListEntry } from '#shared/screening/matcher/entry.ts';
import { buildListIndex } from '#test/helpers/lists.ts';
import type { ScreeningQuery } from '#shared/screening/matcher/query.ts';
import { type LoadedList, screen, type ListMatch } from '#shared/screening/matcher/screen.ts';

/** An entry of a list, of which only what matters is said. */
export const entry = (given: Partial<ListEntry> & { entry_id: string }): ListEntry => ({
  ...newEntry(given.entry_id, 'unknown', ''),
  ...given,
});

export const person = (entry_id: string, name: string, more: Partial<ListEntry> = {}): ListEntry =>
  entry({ entry_id, type: 'person', name, ...more });

export const organization = (entry_id: string, name: string, more: Partial<ListEntry> = {}): ListEntry =>
  entry({ entry_id, type: 'organization', name, ...more });

export const listOf = (entries: readonly ListEntry[], name = 'list'): LoadedList => ({
  name,
  version: 1,
  index: buildListIndex(entries),
});

export const query = (given: Partial<ScreeningQuery>): ScreeningQuery => ({
  name: null,
  aliases: [],
  type: null,
  countries: [],
  birth_date: null,
  keys: [],
  ...given,
});

/** What a query finds among entries, best first. */
export const search = (
  entries: readonly ListEntry[],
  given: Partial<ScreeningQuery>,
  { threshold = 0.85, limit = 10 } = {},
): ListMatch[] => screen([listOf(entries)], query(given), { threshold, limit }).matches;

/** The score of the best match, 0 where there is none at all. */
export const scoreOf = (entries: readonly ListEntry[], given: Partial<ScreeningQuery>): number =>
  search(entries, given, { threshold: 0 })[0]?.score ?? 0;
