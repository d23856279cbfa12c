import type { ScreeningMatch } from '#shared/screening/store/screening_matches.ts';

type MatchFeatures = ScreeningMatch['features'];

/** Why a word of one name stands for a word of the other. */
const reasons: Record<string, string> = {
  equal: 'Same',
  abbreviation: 'Abbreviation, or a number spelled out',
  same_sound: 'Different romanization',
  spelling: 'Spelling variant',
  consonants: 'Same consonants; one script omits vowels',
  nickname: 'Nickname',
  joined: 'Joined in one, separate in the other',
  initial: 'Initial',
  legal_form: 'Equivalent legal forms',
  cut_off: 'Truncated at a bank’s field length',
};
export const reasonText = (reason: string): string => reasons[reason] ?? reason;

const modifiers: Record<string, string> = {
  birth_date: 'Birth date',
  country: 'Country',
  type: 'Type',
  weak_alias: 'Weak alias',
  one_word: 'Single word',
  generic_words: 'Common words only',
};
export const modifierText = (name: string): string => modifiers[name] ?? name;

const matchTypes: Record<ScreeningMatch['match_type'], string> = {
  address: 'Wallet address on the list',
  identifier: 'Identifier on the list',
  name: 'Name similar to a listed name',
  alias: 'Name similar to a listed alias',
};
export const matchTypeText = (type: ScreeningMatch['match_type']): string => matchTypes[type];

/** Of 0 to 1, what was added or taken, in points of a hundred: `−5`. */
export const pointsText = (points: number): string =>
  new Intl.NumberFormat('en-US', { signDisplay: 'exceptZero', maximumFractionDigits: 1 }).format(points * 100);

/** The words of both names that stand for nothing in the other, in a sentence each. */
export const unmatchedTexts = ({ unmatched_query, unmatched_entry }: MatchFeatures): string[] =>
  [
    unmatched_query.length > 0 && `Only in the payee’s name: ${unmatched_query.join(', ')}`,
    unmatched_entry.length > 0 && `Only in the listed name: ${unmatched_entry.join(', ')}`,
  ].filter(text => text !== false);
