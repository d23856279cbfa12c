import type { FoldedWord } from './fold_name.ts';

/**
 * Takes apart what Arabic puts together and romanizations write in many ways: `Abdulrahman`, `Abd al-Rahman` and `Abdur Rahman` become
 * `abd` and `rahman`, `Jalaluddin` and `Jalal al-Din` become `jalal` and `din`, in names of
 * persons; articles stand alone.
 */
export function splitCompounds(words: readonly FoldedWord[], isPerson: boolean): FoldedWord[] {
  const split = words.flatMap(word => splitArticle(word).flatMap(splitServant));
  return isPerson ? split.flatMap(splitFaith) : split;
}

/** In Arabic script the article is written together with its word. `Allah` has none. */
function splitArticle(word: FoldedWord): FoldedWord[] {
  const { text, script } = word;
  if (script !== 'abjad' || text.length < 5 || !text.startsWith('al') || text.startsWith('all')) return [word];
  return [
    { text: 'al', script },
    { text: text.slice(2), script },
  ];
}

function splitServant(word: FoldedWord): FoldedWord[] {
  const { text, script } = word;
  if (!text.startsWith('abd')) return [word];
  const rest = script === 'abjad' ? text.slice(3).replace(/^al/, '') : servant.exec(text)?.[1];
  if (rest === undefined || isWhole.test(rest)) return [word];
  if (rest === '') return [{ text: 'abd', script }];
  const shortest = script === 'abjad' ? 2 : 3;
  return rest.length < shortest
    ? [word]
    : [
        { text: 'abd', script },
        { text: rest, script },
      ];
}

// The article's l becomes the sound it stands before.
const servant = /^abd(?:[aeiou]{0,2}[lrsz])?(.{0,20})$/;
// `Abdullah` is too usual to be two words; `Abdi` and `Abdou` are none.
const isWhole = /^(?:l?l?ah?|i|o|u|ou|alla|ulla|ullah|allh|lh)$/;

/** `… al-Din`, of the faith. */
function splitFaith(word: FoldedWord): FoldedWord[] {
  const { text, script } = word;
  if (isFaith.test(text)) return [{ text: 'din', script }];
  const [, first] = endsInFaith.exec(text) ?? [];
  if (first === undefined) return [word];
  return [
    { text: first, script },
    { text: 'din', script },
  ];
}

const isFaith = /^(?:[aeiou]{1,2}d?d?|ud-?)?d(?:i|ee|y|e)ne?$/;
const endsInFaith = /^(.{3,20}?)[aeiou]{1,2}d{1,2}(?:i|ee|y)ne?$/;
