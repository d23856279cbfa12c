import type { Fonts } from './fonts.ts';
import { numbered } from './outside.ts';
import type { PackReport, TextSpan } from './report.ts';

/** Marks where a long word may be broken; outside text never contains one. */
const BREAK = '\u200B';

/** Every character of a report, once, and those of page numbers. */
export function charactersOf(report: PackReport): Set<string> {
  const characters = new Set('0123456789/#, ');
  const add = (value: unknown): void => {
    if (typeof value === 'string') for (const character of value) characters.add(character);
    else if (typeof value === 'object' && value !== null) Object.values(value).forEach(add);
  };
  add(report);
  return characters;
}

/**
 * A report as `report.typ` reads it. A span is a string, or a `Run` if it looks different; content that may be too tall for a page is
 * marked. Characters without a font become their numbers, and long words of ids and outside text get break points.
 */
export function readyToSet(report: PackReport, has: Fonts['has']): unknown {
  const each = (text: string) => text.replace(/./gsu, character => (has(character) ? character : numbered(character)));
  // A mark in another font than its letter cannot be placed on it.
  const shown = (text: string) =>
    text.replace(/(\P{M}?)(\p{M}+)|./gsu, (cluster, letter?: string, marks?: string) =>
      has(cluster) ? cluster : `${each(letter ?? cluster)}${(marks ?? '').replace(/./gsu, numbered)}`,
    );
  const ready = (value: unknown): unknown => {
    if (typeof value === 'string') return shown(value);
    if (Array.isArray(value)) return value.map(ready);
    if (typeof value !== 'object' || value === null) return value;
    if (isSpan(value)) return runOf(value, shown);
    const members = Object.entries(value).map(([name, member]) => [name, ready(member)]);
    return { ...Object.fromEntries(members), ...(mayBeTall(value) && { tall: isTall(value) }) };
  };
  return ready(report);
}

/** Text that looks different: `style` is `plain`, `minor` or a tone. `rtl`: it runs from right to left. */
type Run = { style: string; text: string; rtl: boolean };

type Marked = Exclude<TextSpan, string>;

const isSpan = (value: object): value is Marked =>
  ['outside', 'code', 'time', 'seqs', 'verdict'].some(name => Object.hasOwn(value, name));

function runOf(span: Marked, shown: (text: string) => string): Run | string {
  if ('time' in span) return span.text;
  if ('seqs' in span) return `${span.seqs.map(seq => `#${seq}`).join(', ')}${span.more && ` ${span.more}`}`;
  if ('verdict' in span) return { style: span.tone, text: shown(span.verdict), rtl: false };
  if ('code' in span) return { style: 'minor', text: breakable(shown(span.code)), rtl: false };
  const text = shown(span.outside);
  // Text that starts left to right and turns ends with a mark, so that what follows does not turn with it (UAX #9).
  const end = turns.test(text) ? '\u200E' : '';
  return { style: span.minor ? 'minor' : 'plain', text: `${breakable(text)}${end}`, rtl: rightToLeft.test(text) };
}

const rightToLeft = /^\P{L}*[\p{Script=Arabic}\p{Script=Hebrew}]/u;
const turns = /^\P{L}*[^\p{Script=Arabic}\p{Script=Hebrew}\P{L}].*[\p{Script=Arabic}\p{Script=Hebrew}]/u;

/** Words of more than 14 characters may be broken at their joints; between two of these, every four letters. */
const breakable = (text: string) =>
  text.replace(/\S{15,}/gu, word => word.replace(joint, `$&${BREAK}`).replace(longPart, inPieces));

const joint = /[-_.,:;/\\@?&=+](?=\S)/g;
const longPart = /[^\s\u200B]{13,}/gu;
const inPieces = (part: string) => part.replace(/(?:\P{M}\p{M}*){4}(?!$)/gu, `$&${BREAK}`);

/** Rows of a table, items of a timeline, records. */
const mayBeTall = (value: object) => ['cells', 'at', 'paragraphs'].some(name => Object.hasOwn(value, name));

/** Whether it could be taller than half a page; then it may break across pages. */
const isTall = (value: object) => JSON.stringify(value).length > 3_000;
