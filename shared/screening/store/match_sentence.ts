import type { ScreeningMatch } from './screening_matches.ts';

/** The facts of the sentence: the match, and the subject of the screening. */
type Matched = Pick<ScreeningMatch, 'match_type' | 'countries'> & {
  features: Pick<
    ScreeningMatch['features'],
    'key' | 'tokens' | 'unmatched_query' | 'unmatched_entry' | 'modifiers' | 'birth_dates' | 'weak_alias'
  >;
};
type LookedFor = { country: string | null; date_of_birth: string | null };

/**
 * Why it is a match, as a sentence without a full stop: `same name in another spelling; born the same year; other country`. Facts unknown
 * on one side are left out.
 */
export function matchSentence(match: Matched, query: LookedFor): string {
  const { key, modifiers, weak_alias } = match.features;
  const about = (name: string) => modifiers.some(modifier => modifier.name === name);
  const parts = [
    key ? `same ${keyWords[key.type] ?? 'identifier'}` : nameText(match),
    !key && weak_alias ? 'an alias that its publisher calls weak' : null,
    about('one_word') ? 'one word only' : null,
    about('common_word') ? 'one common word only' : null,
    about('generic_words') ? 'usual words only' : null,
    birthText(match.features, query),
    countryText(match.countries, query),
    about('type') ? 'listed as something else' : null,
  ];
  return parts.filter(part => part !== null).join('; ');
}

const keyWords: Partial<Record<string, string>> = {
  wallet: 'wallet address',
  domain: 'web address',
  email: 'email address',
  bic: 'bank code (BIC)',
  iban: 'bank account (IBAN)',
  lei: 'legal entity identifier',
  imo: 'ship’s or company’s IMO number',
  document: 'document or registration number',
};

function nameText({ match_type, features: { tokens, unmatched_query, unmatched_entry } }: Matched): string {
  const isWhole = unmatched_query.length + unmatched_entry.length === 0;
  const isSimilar = tokens.some(
    ({ similarity, reason }) => similarity < SAME && (reason === 'spelling' || reason === 'joined'),
  );
  const reasons = [...new Set(tokens.map(({ reason }) => reason))].flatMap(reason =>
    isSimilar && reason === 'spelling' ? [] : (differences[reason] ?? []),
  );
  const other = match_type === 'alias';
  if (!isWhole)
    return [`part of ${other ? OTHER_NAME : 'the name'} is ${isSimilar ? 'similar' : 'the same'}`, ...reasons].join(
      ', ',
    );
  const start = other
    ? `${isSimilar ? 'similar to' : 'same as'} ${OTHER_NAME}`
    : `${isSimilar ? 'similar' : 'same'} name`;
  return [start, ...(reasons.length > 0 ? [reasons.join(', ')] : [])].join(' ');
}

const OTHER_NAME = 'another name of the entry';
/** Words that are less alike than this are not one word in two spellings. */
const SAME = 0.9;

/** How matching words differ; equal ones do not. */
const differences: Partial<Record<string, string>> = {
  abbreviation: 'abbreviated',
  same_sound: 'in another romanization',
  spelling: 'in another spelling',
  consonants: 'in another script',
  nickname: 'with a nickname',
  joined: 'written together or apart',
  initial: 'with an initial',
  legal_form: 'with another legal form',
  cut_off: 'cut off',
};

function birthText({ birth_dates }: Matched['features'], { date_of_birth }: LookedFor): string | null {
  if (date_of_birth === null || birth_dates.length === 0) return null;
  if (date_of_birth.length === '2000-01-01'.length && birth_dates.includes(date_of_birth)) return 'born the same day';
  const year = Number(date_of_birth.slice(0, 4));
  const apart = birth_dates.map(date => {
    const [from = '', to = from] = date.split('/');
    return Math.max(Number(from.slice(0, 4)) - year, year - Number(to.slice(0, 4)), 0);
  });
  const least = Math.min(...apart);
  if (least === 0) return 'born the same year';
  return least === 1 ? 'born a year apart' : 'born in another year';
}

function countryText(countries: readonly string[], { country }: LookedFor): string | null {
  if (country === null || countries.length === 0) return null;
  return countries.includes(country) ? 'same country' : 'other country';
}
