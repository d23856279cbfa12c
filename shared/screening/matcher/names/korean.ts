import { createRequire } from 'node:module';

// The table is large, and few names need it.
const require = createRequire(import.meta.url);

/**
 * Hangul syllables in Latin letters, each a word: as lists of sanctions write Korean names (McCune–Reischauer without its signs, as the
 * government in Pyongyang does), and not letter by letter, by which 박 would be `bag` instead of `pak`. For a text of nothing else.
 */
export function romanizeHangul(word: string): string[] {
  return Array.from(word, sign => {
    const at = (sign.codePointAt(0) ?? 0) - FIRST;
    const initial = initials[Math.floor(at / PER_INITIAL)] ?? '';
    const vowel = vowels[Math.floor((at % PER_INITIAL) / finals.length)] ?? '';
    return initial + vowel + (finals[at % finals.length] ?? '');
  });
}

/** The first of the 11,172 syllables, which stand in the order of these (The Unicode Standard, section 3.12). */
const FIRST = 0xac00;
const initials = 'k kk n t tt r m p pp s ss - j jj ch k t p h'.split(' ').map(letter => letter.replace('-', ''));
const vowels = 'a ae ya yae o e yo ye o wa wae oe yo u wo we wi yu u ui i'.split(' ');
const finals = '- k k k n n n t l k m l l l p l m p p t t ng t t k t p t'
  .split(' ')
  .map(letter => letter.replace('-', ''));
const PER_INITIAL = vowels.length * finals.length;

/** A name of three syllables in Hangul as the north spells it: it keeps the first sound of family names (리병철 for 이병철). Null for any other. */
export function northernSpelling(name: string): string | null {
  const [, family = '', given = ''] = /^([이임노염여])([가-힣]{2})$/.exec(name.trim()) ?? [];
  const northern = northern_names[family];
  return northern === undefined ? null : northern + given;
}

const northern_names: Record<string, string> = { 이: '리', 임: '림', 노: '로', 염: '렴', 여: '려' };

/**
 * The Korean reading, in Hangul, of a name of three Chinese characters, as nearly all Koreans' names are; null for any other. Family names
 * are read as such (金 is Kim), and 李 is Ri, as in Pyongyang.
 */
export function koreanReading(name: string): string | null {
  const signs = [...name.normalize('NFKC').replaceAll(/[^\p{L}\p{N}]/gu, '')];
  if (signs.length !== 3) return null;
  readings ??= require('hanja/lib/data/hanjaeum.json') as Record<string, string>;
  let reading = '';
  for (const [at, sign] of signs.entries()) {
    const syllable = (at === 0 ? family_names[sign] : undefined) ?? readings[sign];
    if (syllable === undefined) return null;
    reading += syllable;
  }
  return reading;
}

const family_names: Record<string, string> = { 金: '김', 車: '차', 沈: '심' };
let readings: Record<string, string> | undefined;
