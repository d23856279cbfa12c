import type { ListEntry } from './entry.ts';
import type { ScreeningQuery } from './query.ts';

/** Facts besides the names that speak for or against a match. `points` are added to the score. */
export type Modifier = {
  name: 'birth_date' | 'country' | 'type' | 'weak_alias' | 'one_word' | 'common_word' | 'generic_words';
  points: number;
  detail: string;
};

/** An almost equal name with another year of birth ends just below the default threshold. */
const OTHER_BIRTH_YEAR = -0.16;
const SAME_BIRTH_DATE = 0.05;
const OTHER_COUNTRY = -0.05;
const OTHER_TYPE = -0.1;
/** The share of its score that a match by a weak alias keeps: publishers advise against screening by it alone. */
const MOST_OF_WEAK_ALIAS = 0.8;
/** The share for a match by one word of a longer personal name, by a very common word, or by usual words. */
const MOST_OF_ONE_WORD = 0.84;
/** Lists are often off by one. */
const YEARS_APART = 1;

/** The most that modifiers can add to a query's score. */
export const mostAdded = ({ birth_date }: ScreeningQuery): number => (isDay(birth_date) ? SAME_BIRTH_DATE : 0);

const isDay = (birth_date: string | null) => birth_date?.length === '2000-01-01'.length;

/** Compares the other facts of a query with an entry. A fact unknown on one side is no conflict. */
export function modifiersOf(query: ScreeningQuery, entry: ListEntry): Modifier[] {
  return [birthDate(query, entry), country(query, entry), type(query, entry)].flatMap(modifier => modifier ?? []);
}

/** Reasons against a match, however similar the names are. */
type Weakness = { isWeak: boolean; isOneWord: boolean; isCommon: boolean; isGeneric: boolean };

/** The limits on the score of a match by a weak alias, by one word of a longer name, or by usual words. */
export function capsOf(score: number, { isWeak, isOneWord, isCommon, isGeneric }: Weakness): Modifier[] {
  const cap = (name: Modifier['name'], most: number, why: string): Modifier[] => [
    { name, points: score * (most - 1), detail: `${why}: it scores ${most} at most` },
  ];
  if (isWeak) return cap('weak_alias', MOST_OF_WEAK_ALIAS, 'the publisher calls this alias weak');
  if (isOneWord) return cap('one_word', MOST_OF_ONE_WORD, 'one word does not tell a person from others of that name');
  if (isCommon) return cap('common_word', MOST_OF_ONE_WORD, 'many names have this one word');
  return isGeneric ? cap('generic_words', MOST_OF_ONE_WORD, 'the names share nothing but usual words') : [];
}

function birthDate({ birth_date }: ScreeningQuery, { birth_dates }: ListEntry): Modifier | null {
  if (birth_date === null || birth_dates.length === 0) return null;
  if (isDay(birth_date) && birth_dates.includes(birth_date))
    return { name: 'birth_date', points: SAME_BIRTH_DATE, detail: `both were born on ${birth_date}` };
  const year = Number(birth_date.slice(0, 4));
  if (!(year > 0)) return null;
  const isNear = birth_dates.some(date => {
    const [from = '', to = from] = date.split('/');
    return year >= Number(from.slice(0, 4)) - YEARS_APART && year <= Number(to.slice(0, 4)) + YEARS_APART;
  });
  if (isNear) return null;
  return { name: 'birth_date', points: OTHER_BIRTH_YEAR, detail: `born ${birth_date}, the entry ${list(birth_dates)}` };
}

function country({ countries }: ScreeningQuery, entry: ListEntry): Modifier | null {
  if (countries.length === 0 || entry.countries.length === 0) return null;
  if (countries.some(code => entry.countries.includes(code))) return null;
  return {
    name: 'country',
    points: OTHER_COUNTRY,
    detail: `of ${list(countries)}, the entry of ${list(entry.countries)}`,
  };
}

function type({ type: asked }: ScreeningQuery, entry: ListEntry): Modifier | null {
  if (asked === null || asked === 'unknown' || entry.type === 'unknown' || asked === entry.type) return null;
  return { name: 'type', points: OTHER_TYPE, detail: `screened as ${asked}, listed as ${entry.type}` };
}

const MOST_TOLD = 5;

const list = (values: readonly string[]) =>
  values.length > MOST_TOLD ? `${values.slice(0, MOST_TOLD).join(', ')} and others` : values.join(', ');
