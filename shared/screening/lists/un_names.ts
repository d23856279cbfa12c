/** A name as the UN writes it in one field, taken apart. */
type PublishedNames = {
  names: string[];
  /** Abbreviations in parentheses. */
  abbreviations: string[];
};

/**
 * Takes a field of names apart: several between semicolons or numbered `a)`, `b)`; another spelling, the original script or an
 * abbreviation in parentheses; notes (`birth name`, `born in 1963`), quotes and stray marks left out. What else stands in
 * parentheses (`(Kenya)`) belongs to the name.
 */
export function publishedNames(text: string): PublishedNames {
  const names: string[] = [];
  const abbreviations: string[] = [];
  const take = (part: string, depth: number) => {
    const { outside, inside } = parentheses(part);
    const spelled = inside.map(note => ({ note, kind: kindOf(note, outside) }));
    names.push(spelled.some(({ kind }) => kind === 'part') ? bare(part) : outside);
    for (const { note, kind } of spelled) {
      if (kind === 'abbreviation') abbreviations.push(note);
      if (kind === 'names' && depth < DEEPEST) splitOutside(note).forEach(name => take(name, depth + 1));
    }
  };
  for (const part of splitOutside(text.replaceAll(/\s+/g, ' ').slice(0, LONGEST))) take(part, 0);
  return { names: [...new Set(names.filter(name => /\p{L}/u.test(name)))], abbreviations };
}

/** A field of names that is longer is none. */
const LONGEST = 10_000;
/** Parentheses within parentheses. */
const DEEPEST = 3;

/** Splits at semicolons and numbers that are not within parentheses. */
function splitOutside(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let from = 0;
  const numbered = text.replaceAll(/(^|\s)[a-z]\)\s/g, '$1; ');
  for (let at = 0; at < numbered.length; at += 1) {
    const character = numbered[at];
    if (character === '(') depth += 1;
    if (character === ')') depth = Math.max(0, depth - 1);
    if (character !== ';' || depth > 0) continue;
    parts.push(numbered.slice(from, at));
    from = at + 1;
  }
  return [...parts, numbered.slice(from)].filter(part => part.trim() !== '');
}

/** The text outside the parentheses, and the text in each outermost pair. */
function parentheses(text: string): { outside: string; inside: string[] } {
  const inside: string[] = [];
  let outside = '';
  let depth = 0;
  let note = '';
  for (const character of text) {
    if (character === '(' && depth++ === 0) continue;
    if (character === ')' && depth > 0 && --depth === 0) {
      inside.push(note.trim());
      note = '';
      continue;
    }
    if (depth > 0) note += character;
    else outside += character;
  }
  return { outside: bare(`${outside} ${depth > 0 ? note : ''}`), inside };
}

/** Without what is said of the name, and what stands around it. */
const bare = (text: string) =>
  text
    .replace(/^\s*original script: */i, '')
    .replace(/(,| -)? *\b(born|sub-unit name|date of birth|previously listed)\b.*$/i, '')
    .replaceAll(/["“”«»„]/g, '')
    .replace(/\s+/g, ' ')
    .replace(/^[\s)\],.;:-]+|[\s,;:([-]+$/g, '');

/** The text in parentheses after (or within) a name. */
function kindOf(note: string, name: string): 'abbreviation' | 'names' | 'remark' | 'part' {
  if (/^original script:/i.test(note) || note.includes(';')) return 'names';
  if (abbreviates(note, name)) return 'abbreviation';
  if (!/\p{L}/u.test(note) || /^(original script|third|[A-Z]{2,3}[ie]?\.\d{3})$/i.test(note)) return 'remark';
  const latin = /\p{Script=Latin}/u;
  if (name !== '' && latin.test(note) !== latin.test(name)) return 'names';
  return /^\p{Ll}/u.test(note) || /\b(name|identity|listed|script|passport|number)\b/i.test(note) ? 'remark' : 'part';
}

/** Whether the letters of one word in capitals come in the name in the same order, the first at the beginning of a word. */
function abbreviates(note: string, name: string): boolean {
  if (!/^\p{Lu}[\p{L}\d/&-]{1,11}$/u.test(note) || !/.\p{Lu}/u.test(note)) return false;
  const letters = [...note.toLowerCase()].filter(letter => /\p{L}/u.test(letter));
  const text = name.toLowerCase();
  let at = text.search(new RegExp(String.raw`(?<!\p{L})${letters[0]}`, 'u'));
  for (const letter of letters.slice(1)) at = at === -1 ? -1 : text.indexOf(letter, at + 1);
  return at !== -1;
}
