/**
 * A text as search sees it: without case, accents, compatibility forms, invisible characters and repeated spaces, so
 * that `MÜLLER  & Søn` is found by `muller & son`. Folding twice changes nothing.
 */
export function fold(text: string): string {
  if (plain.test(text)) return collapse(text.toLowerCase());
  const bare = text.normalize('NFKD').replace(/[\p{M}\p{Cf}]/gu, '');
  // ẞ becomes ß, then SS, then ss; a final sigma must not differ from the others.
  const folded = bare.toLowerCase().toUpperCase().toLowerCase().normalize('NFKD').replace(/\p{M}/gu, '');
  return collapse(folded.replace(/[ςæœøłđðþħŧŋ]/g, letter => letters[letter] ?? letter));
}

const plain = /^[\x20-\x7e]*$/;

const collapse = (text: string): string => text.replace(/\s+/g, ' ').trim();

// Latin letters that Unicode does not take apart.
const letters: Record<string, string> = {
  ς: 'σ',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ħ: 'h',
  ŧ: 't',
  ŋ: 'n',
};
