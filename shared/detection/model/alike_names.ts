import { fold } from '#shared/values/fold.ts';
import { nearest } from '#shared/values/nearest.ts';

/**
 * Whether two names may be one payee's: they have a word alike, or nearly, that is no legal form. Who diverts a payment writes the name of who
 * was to get it, or almost: `Acme Ltd`, `Acme Limited`, `Acrne (new bank)`.
 */
export function areAlike(a: string, b: string): boolean {
  const [ours, theirs] = [wordsOf(a), wordsOf(b)];
  return ours.length > 0 && theirs.length > 0
    ? ours.some(word => nearest(word, theirs) !== undefined || theirs.includes(word))
    : fold(a) === fold(b);
}

const wordsOf = (name: string): string[] =>
  fold(name)
    .replace(/rn|vv|[01]/g, sign => mistaken[sign] ?? sign)
    .split(/[^\p{L}\p{N}]+/u)
    .filter(word => word !== '' && !isLegalForm(word))
    .slice(0, MOST_WORDS);

/** Who sends names of a hundred words has them compared by the first. */
const MOST_WORDS = 12;

/** Letters that are read for others. */
const mistaken: Record<string, string> = { rn: 'm', vv: 'w', 0: 'o', 1: 'l' };

/** Whether a word says what form a company has, or is a small one, and tells no name from another. */
export const isLegalForm = (word: string): boolean => common.has(word);

const common = new Set(
  `ltd limited inc incorporated llc llp plc gmbh mbh ag kg ug se sa sas sarl srl spa bv nv ab oy as aps co company corp corporation pty pte pvt
  the and of for de del la le les el et y und der die das di e`.split(/\s+/),
);
