import countries from 'i18n-iso-countries';
import { searchableOf } from '#shared/screening/matcher/index/searchable.ts';
import type { ScreeningQuery } from '#shared/screening/matcher/query.ts';
import { type LoadedList, screen } from '#shared/screening/matcher/screen.ts';
import { readingsOf } from '#shared/screening/matcher/readings.ts';
import { screenName } from '#shared/screening/matcher/screen_names.ts';
import type { ListCase } from './cases.ts';
import { entriesOf } from './load.ts';
import { jaroWinkler, sortedWords } from './jaro_winkler.ts';
import type { Scored } from './rates.ts';

/** A query against the lists: the best score of an entry that is right, and of any. */
export type Searched = { case: ListCase; hit: number; top: number };

export function queryOf({ query }: ListCase): ScreeningQuery {
  const country = query.country ? countries.getAlpha2Code(query.country, 'en') : undefined;
  const { name, type = null, birth_date = null } = query;
  return { name, aliases: [], type, countries: country ? [country] : [], birth_date, keys: [] };
}

const isRight = ({ expect, also_ok = [] }: ListCase, id: string) => id === expect || also_ok.includes(id);

/** Queries as the product answers them that are asked with a threshold. */
export const searchLists = (lists: readonly LoadedList[], cases: readonly ListCase[], threshold: number): Searched[] =>
  cases.map(each => {
    const { matches } = screen(lists, queryOf(each), { threshold, limit: 100 });
    const hit = matches.find(({ list, entry_id }) => isRight(each, `${list}:${entry_id}`));
    return { case: each, hit: hit?.score ?? 0, top: matches[0]?.score ?? 0 };
  });

/** The same with the rival's scores for the names that our index proposes: a scan of the lists would take it minutes. */
export function searchAsRival(lists: readonly LoadedList[], cases: readonly ListCase[]): Searched[] {
  const sorted = lists.map(list => ({ list, names: new Map<number, string>(), entries: entriesOf(list) }));
  return cases.map(each => {
    const found = { case: each, hit: 0, top: 0 };
    const query = sortedWords(each.query.name);
    for (const { list, names, entries } of sorted) {
      for (const { name, entry } of proposedBy(list, each)) {
        const known = entries[entry];
        if (!known) continue;
        const position = list.index.name_positions[name] ?? 0;
        const text = names.get(name) ?? sortedWords(known.aliases[position - 1]?.name ?? known.name);
        names.set(name, text);
        const score = jaroWinkler(query, text);
        found.top = Math.max(found.top, score);
        if (isRight(each, `${list.name}:${known.entry_id}`)) found.hit = Math.max(found.hit, score);
      }
    }
    return found;
  });
}

/** The share of the queries for whom an entry that is right is among the names that are compared. */
export function candidateRecall(lists: readonly LoadedList[], cases: readonly ListCase[]): number {
  const positives = cases.filter(each => each.expect !== null && !each.weak);
  const indexed = lists.map(list => ({ list, entries: entriesOf(list) }));
  const proposed = positives.filter(each =>
    indexed.some(({ list, entries }) =>
      proposedBy(list, each).some(({ entry }) => isRight(each, `${list.name}:${entries[entry]?.entry_id}`)),
    ),
  );
  return proposed.length / (positives.length || 1);
}

/** The names of a list that are compared with a query's, whatever they score. */
const proposedBy = ({ index }: LoadedList, { query: { name, type } }: ListCase) =>
  screenName(searchableOf(index), readingsOf(name, type ?? null), type ?? null, 0);

/** Of each case whether it was found, for the table by category. */
export const asScored = (searched: readonly Searched[]): Scored[] =>
  searched.map(({ case: { category, weak = false, expect }, hit, top }) => ({
    category,
    weak,
    positive: expect !== null,
    score: expect === null ? top : hit,
  }));
