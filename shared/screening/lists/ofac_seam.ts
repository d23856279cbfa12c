import { isItem, itemsOf } from './ofac_remarks.ts';

/**
 * A remark joined with its continuation. OFAC cuts after 1,000 characters, anywhere, so the parts are joined as they are. Copies of its
 * files have lost the spaces at the cut, or begin another item there without a semicolon: of the ways to join, the one is taken in which
 * the item can be read.
 */
export function joinRemarks(first: string, next: string): string {
  const start = first.trimEnd();
  const end = next.trimStart();
  if (start === '' || end === '') return first + next;
  if (start.endsWith(';') || end.startsWith(';')) return `${start} ${end}`;
  const head = start.slice(start.lastIndexOf(';') + 1);
  const tail = end.split(';', 1)[0] ?? '';
  if (isClosed(head) && isWhole(head) && isWhole(tail) && opensItem.test(tail))
    return `${start.replace(/\.$/, '')}; ${end}`;
  const published = first + next;
  if (published !== start + end || !isWhole(`${head} ${tail}`)) return published;
  return isWhole(head + tail) && !isBetweenWords(head, tail) ? published : `${start} ${end}`;
}

/** Whether a cut without a space was between words: after a label, before parentheses, before a word in capitals, within a date. */
const isBetweenWords = (head: string, tail: string): boolean =>
  tail.startsWith('(') ||
  /(?:\b(?:Address|Number|Website|Passport|DOB|ID|Code)|\bNo\.)$/.test(head) ||
  (/(?:^| )[A-Za-z]*[a-z]$/.test(head) && /^[A-Z]/.test(tail)) ||
  (/^ *(?:alt\. )?DOB /.test(head) && /\d$/.test(head) !== /^\d/.test(tail));

/** Items begin with a word in capitals or one of a few in small letters, and not with a number. */
const opensItem = /^(?:alt\. |[A-Z][A-Za-z/-]+[ :]|nationality |citizen |[afn]\.k\.a\. )/;

/** Whether all quotes and parentheses of a text are closed in it; an apostrophe within a word is no quote. */
const isClosed = (text: string): boolean => {
  const count = (pattern: RegExp) => text.match(pattern)?.length ?? 0;
  return count(/(?<!\p{L})'/gu) <= count(/'(?!\p{L})/gu) && count(/"/g) % 2 === 0 && count(/\(/g) <= count(/\)/g);
};

const isWhole = (text: string): boolean => {
  const [item, ...others] = itemsOf(text);
  return item !== undefined && others.length === 0 && isItem(item);
};
