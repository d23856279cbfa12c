import type { FoldedWord } from './fold_name.ts';

/**
 * Splits what Arabic joins and romanizations spell in many ways, in names of persons: `Abdulrahman`, `Abd al-Rahman` and `Abdur Rahman`
 * become `abd` and `rahman`, `Jalaluddin` and `Jalal al-Din` become `jalal` and `din`; articles stand alone.
 */
export function splitCompounds(words: readonly FoldedWord[], isPerson: boolean): FoldedWord[] {
  const whole = joinAllah(words);
  const split = whole.flatMap((word, at) => splitArticle(word, whole[at - 1]?.text === 'abd').flatMap(splitServant));
  return isPerson ? split.flatMap(splitFaith) : split;
}

/** `Abd Allah`, `Hamid Ullah`: one word with the preceding one. */
function joinAllah(words: readonly FoldedWord[]): readonly FoldedWord[] {
  if (!words.some(({ text }) => isAllah.test(text))) return words;
  const joined: FoldedWord[] = [];
  for (const word of words) {
    const before = joined.at(-1);
    if (before && isAllah.test(word.text) && before.script === word.script && !endsInAllah.test(before.text))
      joined[joined.length - 1] = { text: before.text + word.text, script: word.script };
    else joined.push(word);
  }
  return joined;
}

const isAllah = /^[aou]?ll?a?h$/;
const endsInAllah = /ll?a?h$/;

/** Arabic script joins the article to its word. `Allah` has none. */
function splitArticle(word: FoldedWord, isServant: boolean): FoldedWord[] {
  const { text, script } = word;
  const shortest = isServant ? 4 : 5;
  if (script !== 'abjad' || text.length < shortest || !text.startsWith('al') || text.startsWith('all')) return [word];
  return [
    { text: 'al', script },
    { text: text.slice(2), script },
  ];
}

function splitServant(word: FoldedWord): FoldedWord[] {
  const { text, script } = word;
  if (!text.startsWith('abd')) return [word];
  const rest = script === 'abjad' ? text.slice(3).replace(/^al/, '') : servant.exec(text)?.[1];
  if (rest === undefined || isWhole.test(rest) || endsAsSurname.test(rest)) return [word];
  if (rest === '') return [{ text: 'abd', script }];
  const shortest = script === 'abjad' ? 2 : 3;
  return rest.length < shortest
    ? [word]
    : [
        { text: 'abd', script },
        { text: rest, script },
      ];
}

// The article's l assimilates to the following sound.
const servant = /^abd(?:[aeiou]{0,2}[lrsz])?(.{0,20})$/;
// `Abdullah` is too common to be split; `Abdi` and `Abdou` are no compounds.
// `Abdurakhmanov` is one word.
const endsAsSurname = /(?:[eo]v|[eo]va|ovich|ovna|zoda|zade|zadeh)$/;
const isWhole = /^(?:l?l?ah?|i|o|u|ou|alla|ulla|ullah|allh|lh)$/;

/** `… al-Din`, of the faith; `… al-Rahman`, of the merciful. */
function splitFaith(word: FoldedWord): FoldedWord[] {
  const { text, script } = word;
  if (isFaith.test(text)) return [{ text: 'din', script }];
  const faithful = endsInFaith.exec(text)?.[1];
  if (faithful !== undefined)
    return [
      { text: faithful, script },
      { text: 'din', script },
    ];
  const [, first, last] = endsInMercy.exec(text) ?? [];
  if (first === undefined || last === undefined) return [word];
  return [
    { text: first, script },
    { text: last, script },
  ];
}

const isFaith = /^(?:[aeiou]{1,2}d?d?|ud-?)?d(?:i|ee|y|e)ne?$/;
const endsInFaith = /^(.{3,20}?)[aeiou]{1,2}(?:l|d{1,2})?d(?:i|ee|y)ne?$/;
const endsInMercy = /^(.{3,20}?)[aeiou]{1,2}[lr]?(rahm(?:a{1,2}|e)n|haqq?)$/;
