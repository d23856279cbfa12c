import { readingsOf } from '#shared/screening/matcher/readings.ts';
import { type NameMatch, screenName } from '#shared/screening/matcher/screen_names.ts';
import { searchableOf } from '#shared/screening/matcher/index/searchable.ts';
import { judge } from '#shared/screening/matcher/screen.ts';
import type { LoadedList } from '#shared/screening/matcher/screen.ts';
import type { ListEntry } from '#shared/screening/matcher/entry.ts';
import type { Measures } from '#shared/screening/matcher/names/compare_names.ts';
import type { ListCase } from './cases.ts';
import { entriesOf } from './load.ts';
import { queryOf } from './queries.ts';

/** A name of a list that was held against a case's name: what was measured, and the score that a likeness of the names makes. */
export type Candidate = {
  measures: Measures;
  is_person: boolean;
  is_right: boolean;
  /** The score of the names as it is now; 1 stays 1. */
  score: number;
  /** Whether a cap takes it below the threshold whatever the weights. */
  is_capped: boolean;
  scoreFor(likeness: number): number;
};

export type Searched = { case: ListCase; candidates: Candidate[] };

/** Low enough that other weights find the same names. */
const LOWEST = 0.25;
const MOST_WRONG = 6;

/** The names that answer to the cases: those of the right entries and the likeliest others. */
export function candidatesOf(lists: readonly LoadedList[], cases: readonly ListCase[]): Searched[] {
  const known = lists.map(list => ({ list, entries: entriesOf(list) }));
  return cases.map(each => {
    const right = new Set([each.expect, ...(each.also_ok ?? [])]);
    const candidates = known.flatMap(({ list, entries }) => foundIn(list, entries, each, right));
    const wrong = candidates.filter(({ is_right }) => !is_right).toSorted((a, b) => b.score - a.score);
    return {
      case: each,
      candidates: [...candidates.filter(({ is_right }) => is_right), ...wrong.slice(0, MOST_WRONG)],
    };
  });
}

function foundIn(
  list: LoadedList,
  entries: ListEntry[],
  each: ListCase,
  right: ReadonlySet<string | null>,
): Candidate[] {
  const query = queryOf(each);
  const { type = null } = each.query;
  const isPerson = (entry: number) =>
    type === null || type === 'unknown' ? entries[entry]?.type === 'person' : type === 'person';
  return screenName(searchableOf(list.index), readingsOf(each.query.name, type), type, LOWEST).flatMap(match => {
    const entry = entries[match.entry];
    if (!entry) return [];
    const position = list.index.name_positions[match.name] ?? 0;
    const judgedAs = (score: number) =>
      judge(list, query, entry, { ...match, score, position } satisfies NameMatch & { position: number });
    return [
      {
        measures: match.measures,
        is_person: isPerson(match.entry),
        is_right: right.has(`${list.name}:${entry.entry_id}`),
        score: match.score,
        is_capped: judgedAs(LESS_THAN_EQUAL).score < THRESHOLD,
        scoreFor: (likeness: number) => judgedAs(match.score === 1 ? 1 : likeness).score,
      },
    ];
  });
}

const THRESHOLD = 0.85;
const LESS_THAN_EQUAL = 0.9999;
