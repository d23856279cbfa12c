/**
 * Legal forms as names spell them, in groups of interchangeable forms (GLEIF's ISO 20275 list is far longer; these occur in lists and with
 * merchants). A form of several words is read as one; the words are folded.
 */
const groups: Record<string, string> = {
  llc: `llc|l l c|limited liability company|limited liability co|limitedliability company|limited liabilitycompany|ooo|obshchestvo s ogranichennoy otvetstvennostyu
    |obshchestvo s ogranichennoi otvetstvennostyu|obshchestvo s ogranichennoi otvetstvennostiu|tov|ooo kompaniya|gmbh|ges mbh|mbh
    |gesellschaft mit beschrankter haftung|gmbh co kg|gmbh and co kg|co kg|kg|ug|ohg|sarl|s a r l|sarlu|srl|s r l|sro|s r o|spol s r o
    |sp z o o|sp zoo|spzoo|spolka z ograniczona odpowiedzialnoscia|bv|b v|bvba|doo|d o o|eood|ood|kft|uab|sia|ou|oy|lda|s de rl|s de r l
    |s de rl de cv|s de r l de c v|s de rl de c v|sociedad de responsabilidad limitada|sprl|fz llc|fzllc|fze|fz e|fzc|fzco|fz co|fzd
    |free zone establishment|free zone company|wll|w l l|spc|dmcc|dwc llc|est|establishment|lp|llp|l p|limited partnership
    |limited liability partnership|limited liability partnerships|too|mchj|mmc|shpk|eirl|e i r l|sccl|scl|asbl`,
  ltd: `ltd|limited|co ltd|companylimited|coltd|company ltd|co limited|company limited|ltda|limitada|limited sirketi|ltd sti|limited sti|sirketi|sti
    |pte ltd|pte limited|private limited|pvt ltd|pvt limited|pty ltd|pty limited|pty|pte|pvt|sdn bhd|sdn|bhd|ltd co|plc|public limited company
    |public company limited|pcl|tbk|pt|cia ltda|youxian gongsi|you xian gong si|youxiangongsi|youxian zeren gongsi|you xian ze ren gong si
    |gufen youxian gongsi|gu fen you xian gong si`,
  jsc: `jsc|j s c|joint stock company|joint stock co|joint stock|jointstock company|joint stockcompany|jointstock|ao|a o|aktsionernoe obshchestvo|aktsionernoye obshchestvo|ojsc|oao
    |open joint stock company|otkrytoe aktsionernoe obshchestvo|otkrytoye aktsionernoye obshchestvo|pjsc|pao|public joint stock company
    |publichnoe aktsionernoe obshchestvo|publichnoye aktsionernoye obshchestvo|cjsc|zao|closed joint stock company
    |zakrytoe aktsionernoe obshchestvo|zakrytoye aktsionernoye obshchestvo|private joint stock company|private jsc|pat|prat|at|tat
    |sa|s a|s a de c v|sa de cv|sa de c v|s a de cv|sab de cv|sapi de cv|sociedad anonima|sociedad anonima de capital variable
    |sociedad por acciones simplificada|sas|s a s|societe anonyme|sau|sal|s a l|saoc|saog|ag|akg|aktiengesellschaft|nv|n v|spa|s p a
    |societa per azioni|ab|asa|as|a s|aps|oyj|kgaa|kga|se|ad|a d|dd|d d|anonim sirketi|a s sirketi|ticaret as|ca|c a|psc|pjs
    |public shareholding company|kk|k k|kabushiki kaisha`,
  corp: 'corporation|corp|incorporated|inc|inc ltd',
  company:
    'company|co|kompaniya|compania|companhia|cia|compagnie|cie|sherkat|sharikat|sharika|gongsi|gong si|jituan|ji tuan|gongssa|firma|firm',
  state: `fsue|fgup|federal state unitary enterprise|federalnoe gosudarstvennoe unitarnoe predpriyatie|federal state budgetary institution
    |federal state institution|federal autonomous institution|fgbu|fgu|state unitary enterprise|sue|gup|unitary enterprise|rue|ano
    |autonomous nonprofit organization|autonomous non profit organization|npo`,
};

const formOf = new Map(
  Object.entries(groups).flatMap(([group, phrases]) =>
    phrases.split('|').map(phrase => [phrase.trim().replace(/\s+/g, ' '), group] as const),
  ),
);
const longest = Math.max(...[...formOf.keys()].map(phrase => phrase.split(' ').length));
const firstWords = new Set([...formOf.keys()].map(phrase => phrase.split(' ')[0] ?? ''));

// Elsewhere these are words, names or abbreviations.
const onlyAtEnd = new Set('at as ad se tat pat est dd ou'.split(' '));

/** The longest legal form that begins at a word: its group and number of words. Null if there is none. */
export function legalFormAt(words: readonly string[], at: number): { group: string; words: number } | null {
  if (!firstWords.has(words[at] ?? '')) return null;
  for (let length = Math.min(longest, words.length - at); length > 0; length -= 1) {
    const phrase = words.slice(at, at + length).join(' ');
    const group = formOf.get(phrase);
    if (group !== undefined && (at + length === words.length || !onlyAtEnd.has(phrase)))
      return { group, words: length };
  }
  return null;
}

/** Long words that occur in names only as part of a legal form: if the rest is missing or elsewhere, they say no more. */
const pieces = new Set(
  `liability limited company obshchestvo ogranichennoi ogranichennoy otvetstvennostyu otvetstvennostiu aktsionernoe aktsionernoye
   publichnoe publichnoye zakrytoe zakrytoye otkrytoe otkrytoye partnership partnerships responsabilidad anonima simplificada
   gesellschaft beschrankter aktiengesellschaft ograniczona odpowiedzialnoscia corporation incorporated unitarnoe predpriyatie`.split(
    /\s+/,
  ),
);

/** Whether a word occurs only in legal forms. */
export const isPieceOfForm = (word: string): boolean =>
  word.length >= SHORTEST_PIECE && pieces.has(word) && !alsoWords.has(word);

/** The word of a legal form that a word resembles, with one letter wrong, missing, added or swapped; otherwise the word itself. */
export function asPieceOfForm(word: string): string {
  if (word.length < SHORTEST_PIECE - 1 || word.length > LONGEST_PIECE || pieces.has(word)) return word;
  const letters = word.replace(/[0135]/g, digit => ({ 0: 'o', 1: 'i', 3: 'e', 5: 's' })[digit] ?? digit);
  if (pieces.has(letters)) return letters;
  for (const end of [letters.at(-1), letters.at(-2)])
    for (const piece of piecesBy.get(keyOf(letters[0], end)) ?? none) if (isOneSlipFrom(letters, piece)) return piece;
  return word;
}

/** The end of a text that was cut off within a legal form: `limited liabi`. */
export const beginsPieceOfForm = (word: string): boolean => word.length >= SHORTEST_CUT && beginnings.has(word);

const SHORTEST_PIECE = 7;
const LONGEST_PIECE = 20;
const SHORTEST_CUT = 3;
const none: readonly string[] = [];
// Also ordinary words; together with others of their form they are a legal form.
const alsoWords = new Set(['company', 'predpriyatie', 'partnership', 'corporation']);
const keyOf = (first = '', last = '') => `${first}${last}`;
const piecesBy = Map.groupBy(pieces, piece => keyOf(piece[0], piece.at(-1)));
const beginnings = new Set([...pieces].flatMap(piece => Array.from(piece, (_, at) => piece.slice(0, at))));

/** `Lia bility`: the word of a legal form that two words make; null for any others. */
export const joinedPieceOfForm = (first: string, second: string): string | null =>
  first.length + second.length >= SHORTEST_PIECE && pieces.has(first + second) ? first + second : null;

/** Whether two different words differ by one letter replaced, missing or added, or by two swapped neighbors. */
function isOneSlipFrom(a: string, b: string): boolean {
  if (Math.abs(a.length - b.length) > 1) return false;
  let from = 0;
  while (from < a.length && a[from] === b[from]) from += 1;
  let same_end = 0;
  while (same_end < Math.min(a.length, b.length) - from && a[a.length - 1 - same_end] === b[b.length - 1 - same_end])
    same_end += 1;
  const [restA, restB] = [a.length - from - same_end, b.length - from - same_end];
  if (restA <= 1 && restB <= 1) return true;
  return restA === 2 && restB === 2 && a[from] === b[from + 1] && a[from + 1] === b[from];
}
