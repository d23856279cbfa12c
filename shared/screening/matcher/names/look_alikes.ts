/**
 * A word of mixed scripts in a single script: look-alike letters are read in the script that most of the other letters have. `Пyтин` with a
 * Latin y is Cyrillic, `Pаypal` with a Cyrillic а is Latin.
 */
export function inOneScript(word: string): string {
  const text = word.replace(neverMeant, letter => latinTwins[letter] ?? letter);
  const isCyrillic = hasCyrillic.test(text);
  if (!hasLatin.test(text) || !(isCyrillic || hasGreek.test(text))) return text;
  const other = isCyrillic ? cyrillic : greek;
  let own = 0;
  let others = 0;
  for (const letter of text) {
    if (hasLatin.test(letter)) own += other[letter] === undefined ? 1 : 0;
    else others += latinTwins[letter] === undefined ? 1 : 0;
  }
  return others > own ? text.replace(/[A-Za-z]/g, letter => other[letter] ?? letter) : inLatin(text);
}

/**
 * A name with its words converted to Latin that consist only of letters that look Latin (`РАУРАL`, Cyrillic except for the L); null without
 * such a word. Either may be meant: `Роса` is a word, too.
 */
export function asItLooks(name: string): string | null {
  if (!hasLookAlike.test(name)) return null;
  const latin = name.replace(words, word =>
    inLatin(word) === word || !isLatin.test(inLatin(word)) ? word : inLatin(word),
  );
  return latin === name ? null : latin;
}

const inLatin = (text: string) => text.replace(lookAlikes, letter => latinTwins[letter] ?? letter);

const words = /\p{L}{2,}/gu;
const isLatin = /^[A-Za-z]+$/;
const hasLatin = /\p{Script=Latin}/u;
const hasCyrillic = /\p{Script=Cyrillic}/u;
const hasGreek = /\p{Script=Greek}/u;

// Letters that look the same as Latin ones (Unicode TS 39, confusables), each before its Latin letter.
const cyrillicPairs = pairsOf(
  `АA ВB ЕE ЅS ІI ЈJ КK МM НH ОO РP СC ТT ХX УY ҮY ӀI ԌG ԚQ ԜW аa еe ѕs іi јj кk оo рp сc хx уy үy һh ԁd ԛq ԝw ӏl ѵv`,
);
const greekPairs = pairsOf('ΑA ΒB ΕE ΖZ ΗH ΙI ΚK ΜM ΝN ΟO ΡP ΤT ΥY ΧX αa ιi κk νv οo ρp τt υu χx');
// Scripts that payments do not use: Cherokee and Lisu.
const otherPairs = pairsOf(
  `ᎪA ᏴB ᏟC ᎠD ᎬE ᏀG ᎻH ᎫJ ᏦK ᏞL ᎷM ᏢP ᏚS ᎢT ᏙV ᎳW ᏃZ ᎡR
   ꓮA ꓐB ꓚC ꓓD ꓰE ꓝF ꓖG ꓧH ꓲI ꓙJ ꓗK ꓡL ꓟM ꓠN ꓳO ꓑP ꓣR ꓢS ꓔT ꓴU ꓦV ꓪW ꓫX ꓬY ꓜZ`,
);
const latinTwins: Record<string, string> = Object.fromEntries([...cyrillicPairs, ...greekPairs, ...otherPairs]);
const anyOf = (pairs: readonly (readonly [string, string])[]) => `[${pairs.map(([letter]) => letter).join('')}]`;
const hasLookAlike = new RegExp(anyOf([...cyrillicPairs, ...greekPairs]), 'u');
const lookAlikes = new RegExp(hasLookAlike, 'gu');
const neverMeant = new RegExp(anyOf(otherPairs), 'gu');
const cyrillic = lettersFor(cyrillicPairs);
const greek = lettersFor(greekPairs);

function pairsOf(text: string): (readonly [letter: string, latin: string])[] {
  return text.split(/\s+/).map(([letter = '', latin = '']) => [letter, latin] as const);
}

/** The reverse; of several look-alikes the first. */
function lettersFor(pairs: readonly (readonly [string, string])[]): Record<string, string> {
  return Object.fromEntries(pairs.toReversed().map(([letter, latin]) => [latin, letter]));
}
