import type { EntryType } from '#shared/screening/matcher/entry.ts';
import { canonicalSpelling, consonantsOf, skeletonOf } from './canonical_spelling.ts';
import { splitCompounds } from './arabic_compounds.ts';
import { abbreviations, genericWords, numberWords, particles, titles } from './common_words.ts';
import { type FoldedWord, foldName, type Script } from './fold_name.ts';
import { asPieceOfForm, beginsPieceOfForm, isPieceOfForm, joinedPieceOfForm, legalFormAt } from './legal_forms.ts';
import { formalNames } from './nicknames.ts';

export type WordKind = 'word' | 'generic' | 'number' | 'initial' | 'particle' | 'title' | 'legal';

/** A word of a name, ready to compare. A legal form is one word, however many it is written with. */
export type NameWord = {
  /** Folded, with abbreviations and numbers written out; all words of a legal form. */
  text: string;
  /** Folded, as it is written. */
  written: string;
  /** For a legal form its group. */
  canonical: string;
  skeleton: string;
  /** Its consonants, one bit each: words that share few of them need not be compared. */
  consonants: number;
  kind: WordKind;
  /** The names it may be short for, in canonical spelling. */
  formal: readonly string[];
  /** The script it is written in. */
  script: Script;
};

/** A name made ready for comparing. */
export type PreparedName = {
  words: readonly NameWord[];
  is_person: boolean;
  /** Its length if it is as long as a bank's name field: it may have been cut there. */
  cut_at: number | null;
  is_long: boolean;
};

/** Prepares a name. `type` decides how ambiguous words are read: `Eng.` for a person, `SA` for a company. Never throws. */
export function prepareName(text: string, type: EntryType | null): PreparedName {
  const isPerson = type === 'person';
  const split = splitCompounds(foldName(text, isPerson), isPerson);
  const folded = isPerson ? split : joinTens(joinForms(split.flatMap(splitForm)));
  const texts = folded.map(word => (isPerson ? word.text : asPieceOfForm(word.text)));
  const cutAt = cutLengthOf(text);
  const words: NameWord[] = [];
  for (let at = 0; at < folded.length;) {
    const form = isPerson ? personForm(texts, at) : legalFormAt(texts, at);
    const word = folded[at];
    if (form && word) {
      const form_text = texts.slice(at, at + form.words).join(' ');
      words.push(restoreWord({ text: form_text, written: form_text, kind: 'legal', script: 'latin' }));
      at += form.words;
    } else if (word && !isPerson && isLeftOfForm(texts, at, cutAt)) {
      words.push(restoreWord({ text: texts[at] ?? '', written: word.text, kind: 'legal', script: 'latin' }));
      at += 1;
    } else if (word) {
      words.push(wordOf(word, isPerson));
      at += 1;
    }
  }
  return { words, is_person: isPerson, cut_at: cutAt, is_long: cutAt !== null };
}

/** Whether words are the rest of an incomplete legal form: one of its words, or the beginning of one where the name was cut. */
const isLeftOfForm = (texts: readonly string[], at: number, cutAt: number | null): boolean =>
  isPieceOfForm(texts[at] ?? '') ||
  (cutAt !== null &&
    at > 0 &&
    at === texts.length - 1 &&
    beginsPieceOfForm(texts[at] ?? '') &&
    isInForm(texts[at - 1] ?? ''));

const isInForm = (text: string) => isPieceOfForm(text) || text === 's';

/** A single word as in the vocabulary. */
function wordOf({ text: written, script }: FoldedWord, isPerson: boolean): NameWord {
  const text = isPerson ? written : (abbreviations.get(written) ?? numberWords.get(written) ?? written);
  return restoreWord({ text, written, kind: kindOf(text, isPerson, script), script });
}

const none: readonly string[] = [];

export function restoreWord(stored: Pick<NameWord, 'text' | 'written' | 'kind' | 'script'>): NameWord {
  const { text, kind } = stored;
  if (kind === 'legal')
    return {
      ...stored,
      canonical: legalFormAt(text.split(' '), 0)?.group ?? text,
      skeleton: '',
      consonants: 0,
      formal: none,
    };
  if (kind === 'number')
    return { ...stored, canonical: text.replace(/^0+(?=\d)|[a-z]+$/g, ''), skeleton: '', consonants: 0, formal: none };
  const canonical = canonicalSpelling(kind === 'particle' ? (particles.get(text) ?? text) : text);
  const skeleton = skeletonOf(canonical);
  return { ...stored, canonical, skeleton, consonants: consonantsOf(skeleton), formal: formalNames(text) };
}

/** Banks' name fields hold 22 (ACH) to 35 (SWIFT) characters: a name of that length or more may have been cut. */
const cutLengthOf = (text: string): number | null => {
  const { length } = text.trim();
  return length >= SHORTEST_FIELD && length <= LONGEST_FIELD ? length : null;
};
const SHORTEST_FIELD = 16;
const LONGEST_FIELD = 140;

function kindOf(text: string, isPerson: boolean, script: Script): WordKind {
  // Syllables of a name: `An`, `Da` and `Mao` are no small words.
  if (script === 'han' || script === 'hangul') return 'word';
  if (/^\d+(?:st|nd|rd|th)?$/.test(text)) return 'number';
  if (text.length === 1) return 'initial';
  if (particles.has(text)) return 'particle';
  if (isPerson) return titles.has(text) ? 'title' : 'word';
  return genericWords.has(text) ? 'generic' : titles.has(text) ? 'title' : 'word';
}

const sureForms = new Set('llc ltd limited inc gmbh ooo corp'.split(' '));

const personForm = (texts: readonly string[], at: number) =>
  sureForms.has(texts[at] ?? '') ? legalFormAt(texts.slice(at, at + 1), 0) : null;

/** `Glotreasurecompany`, `365days`: two words. */
function splitForm({ text, script }: FoldedWord): FoldedWord[] {
  const [, begun, ended, number, counted] = endsInForm.exec(text) ?? [];
  const [first, last] = [begun ?? number ?? '', ended ?? counted ?? ''];
  return first === '' || last === ''
    ? [{ text, script }]
    : [
        { text: first, script },
        { text: last, script },
      ];
}
const endsInForm = /^(?:(.{3,})(company|limited|corporation|trading|holdings?|shipping)|(\d{2,})([a-z]{4,}))$/;

function joinForms(words: readonly FoldedWord[]): FoldedWord[] {
  const joined: FoldedWord[] = [];
  for (const word of words) {
    const before = joined.at(-1);
    const piece = before ? joinedPieceOfForm(before.text, word.text) : null;
    if (piece === null) joined.push(word);
    else joined[joined.length - 1] = { text: piece, script: word.script };
  }
  return joined;
}

/** `forty four` is 44. */
function joinTens(words: readonly FoldedWord[]): FoldedWord[] {
  const joined: FoldedWord[] = [];
  for (const word of words) {
    const before = joined.at(-1);
    const tens = before && /^[a-z]+ty$/.test(before.text) ? numberWords.get(before.text) : undefined;
    const ones = /^[1-9]$/.test(word.text) ? word.text : numberWords.get(word.text);
    if (tens !== undefined && ones?.length === 1)
      joined[joined.length - 1] = { text: String(Number(tens) + Number(ones)), script: 'latin' };
    else joined.push(word);
  }
  return joined;
}
