import type { ScreeningMatch } from '#shared/screening/store/screening_matches.ts';

type MatchFeatures = ScreeningMatch['features'];

/** Why a word of one name stands for a word of the other. */
const reasons: Record<string, string> = {
  equal: 'the same',
  abbreviation: 'one is short for the other, or a number written out',
  same_sound: 'the same in another romanization',
  spelling: 'spelled otherwise',
  consonants: 'the same consonants; one script leaves out vowels',
  nickname: 'one is a nickname of the other',
  joined: 'written together in one, apart in the other',
  initial: 'an initial of the other',
  legal_form: 'legal forms of one group',
  cut_off: 'cut off at the length of a bank’s field',
};
export const reasonText = (reason: string): string => reasons[reason] ?? reason;

const modifiers: Record<string, string> = {
  birth_date: 'Birth date',
  country: 'Country',
  type: 'Type',
  weak_alias: 'Weak alias',
  one_word: 'One word only',
  generic_words: 'Usual words only',
};
export const modifierText = (name: string): string => modifiers[name] ?? name;

const matchTypes: Record<ScreeningMatch['match_type'], string> = {
  address: 'The wallet address is on the list',
  identifier: 'An identifier is on the list',
  name: 'The name is like one on the list',
  alias: 'The name is like another name of the entry',
};
export const matchTypeText = (type: ScreeningMatch['match_type']): string => matchTypes[type];

/** Of 0 to 1, what was added or taken, in points of a hundred: `−5`. */
export const pointsText = (points: number): string =>
  new Intl.NumberFormat(navigator.language, { signDisplay: 'exceptZero', maximumFractionDigits: 1 }).format(
    points * 100,
  );

/** ISO 3166-1 alpha-2 as the name of the country, with the code. */
export function countryText(code: string): string {
  const name = regions.of(code);
  return name && name !== code ? `${name} (${code})` : code;
}
const regions = new Intl.DisplayNames([navigator.language, 'en'], { type: 'region' });

/** The words of both names that stand for nothing in the other, in a sentence each. */
export const unmatchedTexts = ({ unmatched_query, unmatched_entry }: MatchFeatures): string[] =>
  [
    unmatched_query.length > 0 && `Only in the name that was looked for: ${unmatched_query.join(', ')}`,
    unmatched_entry.length > 0 && `Only in the name on the list: ${unmatched_entry.join(', ')}`,
  ].filter(text => text !== false);
