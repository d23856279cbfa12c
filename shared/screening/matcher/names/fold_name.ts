import anyAscii from 'any-ascii';
import { romanizeHangul } from './korean.ts';
import { inOneScript } from './look_alikes.ts';
import { translateUsualWords } from './translated_words.ts';

/** A word of a name in basic Latin letters and digits, lower case, and the script it was written in. */
export type FoldedWord = { text: string; script: Script };
/** `abjad`: Arabic or Hebrew, which leave out vowels; `han`: Chinese, read as pinyin, and `hangul`: Korean, each syllable by syllable. */
export type Script = 'latin' | 'abjad' | 'han' | 'hangul' | 'other';

/** Longer names are cut: no real name is this long. */
const MOST_CHARACTERS = 600;
const MOST_WORDS = 40;

/**
 * A name as words of plain letters: without case, accents, compatibility forms, invisible characters and punctuation; other scripts are
 * transliterated. In a word of mixed scripts, letters that only look Latin are read as Latin. Separated letters (`A C M E`, `S.A.`) are
 * joined; a person's initials (`V.V.`) are not. Takes any text; one without letters and digits gives no words.
 */
export function foldName(text: string, isPerson = false): FoldedWord[] {
  const cut = text.length > MOST_CHARACTERS ? text.slice(0, MOST_CHARACTERS) : text;
  const plain = isPlain.test(cut) ? cut : readable(cut, isPerson);
  const bare = plain.replace(apostrophes, '').replace(/&/g, ' and ').replace(/№/g, ' no ');
  const spaced = joinSpacedLetters(isPerson ? bare.replaceAll('.', ' . ') : joinDottedLetters(bare));
  const words: FoldedWord[] = [];
  for (const raw of spaced.split(separators)) {
    if (raw === '') continue;
    for (const word of foldWord(raw)) {
      words.push(word);
      if (words.length === MOST_WORDS) return words;
    }
  }
  return words;
}

function readable(text: string, isPerson: boolean): string {
  const whole = text.normalize('NFKC').replace(invisible, '').replace(marks, removeMark);
  return isPerson ? asPersian(whole) : translateUsualWords(asPersian(whole));
}

/** Persian and Urdu read some Arabic letters differently; their own letters identify them. */
const asPersian = (text: string): string =>
  isPersian.test(text) ? text.replace(/[ثذضظ]/g, letter => persian[letter] ?? letter) : text;
const isPersian = /[یکگچپژ]/;
const persian: Record<string, string> = { ث: 'س', ذ: 'ز', ض: 'ز', ظ: 'ز' };

const isPlain = /^[\x20-\x7e]*$/;
// Format characters, variation selectors and other controls. Spaces of any kind are separators below.
const invisible = /[\p{Cf}\p{Cs}\p{Co}\ufe00-\ufe0f]/gu;
const marks = /\p{L}\p{M}+/gu;
// Double quotes separate words: `ООО"Вега"`.
const apostrophes = /['’‘`´ʻʼʹʽ′ʾʿ]/g;
const separators = /[^\p{L}\p{N}\p{M}]+/u;

// A letter that NFKC composes (`й`) stays one letter; other marks are removed, except in scripts whose vowels are marks.
function removeMark(cluster: string): string {
  return /^[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Arabic}\p{Script=Hebrew}]/u.test(cluster)
    ? cluster.replace(/\p{M}+/gu, '')
    : cluster;
}

/** `S.A.` and `G.m.b.H.` become one word. */
const joinDottedLetters = (text: string): string =>
  text.replace(/(?<![\p{L}\p{N}])(?:\p{L}{1,2}\.){2,}(?:\p{L}{1,2}(?![\p{L}\p{N}]))?/gu, run =>
    /(?:^|\.)\p{L}(?:\.|$)/u.test(run) ? ` ${run.replaceAll('.', '')} ` : run,
  );

/** The letters of `A C M E   T R A D I N G` become words, separated by the wider gaps. */
function joinSpacedLetters(text: string): string {
  const pieces = text.trim().split(/\s+/);
  const letters = pieces.filter(piece => piece !== '.');
  const single = letters.filter(piece => /^[\p{L}\p{N}]$/u.test(piece)).length;
  if (letters.length < 3 || single < letters.length * (pieces.length > letters.length ? 1 : 0.75)) return text;
  const gap = /\S\s{2,}\S/.test(text.trim()) ? /\s{2,}/ : / (?=\p{P} )|(?<= \p{P}) /u;
  return text
    .trim()
    .split(gap)
    .map(word => word.replace(/\s+/g, ''))
    .join(' ');
}

function foldWord(raw: string): FoldedWord[] {
  if (/^[\x21-\x7e]+$/.test(raw)) return [{ text: raw.toLowerCase(), script: 'latin' }];
  const word = inOneScript(raw);
  const script = scriptOf(word);
  if (script === 'abjad') return only(readAbjad(word), script);
  if (script === 'han') return syllables(anyAscii(word)).map(text => ({ text, script }));
  if (script === 'hangul')
    return word
      .split(/([가-힣]+)/)
      .flatMap((run, at) => (at % 2 === 1 ? romanizeHangul(run) : syllables(anyAscii(run))))
      .map(text => ({ text, script }));
  return only(
    anyAscii(word)
      .toLowerCase()
      .replace(/[^a-z0-9]/g, ''),
    script,
  );
}

const only = (text: string, script: Script): FoldedWord[] => (text === '' ? [] : [{ text, script }]);

const syllables = (text: string) =>
  text
    .split(/(?=[A-Z])|[^A-Za-z0-9]+/)
    .map(part => part.toLowerCase().replace(/[^a-z0-9]/g, ''))
    .filter(part => part !== '');

function scriptOf(word: string): Script {
  if (/[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}]/u.test(word)) return 'abjad';
  if (/\p{Script=Hangul}/u.test(word)) return 'hangul';
  if (/\p{Script=Han}/u.test(word)) return 'han';
  return /^[\p{Script=Latin}\p{N}\p{M}]+$/u.test(word) ? 'latin' : 'other';
}

/**
 * Transliterates Arabic and Hebrew letter by letter: long vowels are kept, short ones are not written. Between two letters that would read
 * as one (`t` and `s` as `ts`) a vowel is inserted.
 */
function readAbjad(word: string): string {
  let text = '';
  for (const letter of word) {
    const next = (abjad[letter] ?? anyAscii(letter).toLowerCase()).replace(/[^a-z0-9]/g, '');
    text += readAsOne.test(`${text.at(-1) ?? ''}${next[0] ?? ''}`) ? `e${next}` : next;
  }
  return text;
}

const readAsOne = /^(?:t[sz]|[tskgdzcp]h|d[jz]|ck)$/;

const abjad: Record<string, string> = {
  ا: 'a',
  أ: 'a',
  إ: 'i',
  آ: 'a',
  ٱ: 'a',
  ى: 'a',
  ء: '',
  ئ: 'y',
  ؤ: 'w',
  ة: 'a',
  ع: 'a',
  ب: 'b',
  پ: 'p',
  ت: 't',
  ث: 'th',
  ج: 'j',
  چ: 'ch',
  ح: 'h',
  خ: 'kh',
  د: 'd',
  ذ: 'dh',
  ر: 'r',
  ز: 'z',
  ژ: 'zh',
  س: 's',
  ش: 'sh',
  ص: 's',
  ض: 'd',
  ط: 't',
  ظ: 'z',
  غ: 'gh',
  ف: 'f',
  ڤ: 'v',
  ق: 'q',
  ك: 'k',
  ک: 'k',
  گ: 'g',
  ل: 'l',
  م: 'm',
  ن: 'n',
  ه: 'h',
  ھ: 'h',
  ہ: 'h',
  ۀ: 'h',
  و: 'w',
  ي: 'y',
  ی: 'y',
  ے: 'y',
  ټ: 't',
  ډ: 'd',
  ړ: 'r',
  ښ: 'sh',
  ځ: 'z',
  څ: 'ts',
  ګ: 'g',
  ۍ: 'y',
  ې: 'e',
  ڼ: 'n',
  ږ: 'g',
  ٹ: 't',
  ڈ: 'd',
  ڑ: 'r',
  ں: 'n',
  ـ: '',
  א: 'a',
  ב: 'b',
  ג: 'g',
  ד: 'd',
  ה: 'h',
  ו: 'w',
  ז: 'z',
  ח: 'h',
  ט: 't',
  י: 'y',
  כ: 'k',
  ך: 'k',
  ל: 'l',
  מ: 'm',
  ם: 'm',
  נ: 'n',
  ן: 'n',
  ס: 's',
  ע: 'a',
  פ: 'p',
  ף: 'p',
  צ: 'ts',
  ץ: 'ts',
  ק: 'k',
  ר: 'r',
  ש: 'sh',
  ת: 't',
};
