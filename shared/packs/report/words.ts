import type { Code, ReportColumn, TextSpan, Text, ReportTime, Tone, VerdictText } from './report.ts';

/** `4,812`, regardless of the locale. */
export const grouped = (count: number | bigint): string => String(count).replace(/\B(?=(?:\d{3})+$)/g, ',');

/** `1 event`, `4,812 events`. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${grouped(count)} ${count === 1 ? one : many}`;

/** A moment as the report writes it: UTC, to the millisecond. */
export const time = (at: string): ReportTime => ({ time: at, text: at.replace('T', ' ').replace(/Z$/, '') });

export const code = (text: string): Code => ({ code: text });

export const verdict = (text: string, tone: Tone): VerdictText => ({ verdict: text, tone });

/** Texts with a separator between them. */
export const joined = (texts: readonly Text[], between: string): TextSpan[] =>
  texts.flatMap((text, index) => (index === 0 ? [text].flat() : [between, ...[text].flat()]));

/** Who did something; `nobody` when no person or key did. */
export const actor = (id: string | null, nobody = 'the system'): Code | string => (id === null ? nobody : code(id));

/** `not_required` → `not required`. */
export const spoken = (name: string): string => name.replaceAll('_', ' ');

/** Says that earlier ones, replaced by later ones, are not counted; nothing when there are none. */
export const replaced = (count: number, one: string): string =>
  count === 0
    ? ''
    : ` ${counted(count, one)} that a later one replaced ${count === 1 ? 'is' : 'are'} in the file and not counted.`;

/** The last line of a table that is not shown in full; null when nothing is left out. */
export const moreIn = (more: number, file: string): string | null =>
  more > 0 ? `… ${grouped(more)} more: ${file}` : null;

/** Columns by their titles, each with its width; a `#` before the title: its cells are numbers, and stand at the end. */
export const columnsOf = (widths: Readonly<Record<string, number>>): ReportColumn[] =>
  Object.entries(widths).map(([title, width]) => ({
    title: title.replace(/^#/, ''),
    width,
    align: title.startsWith('#') ? 'end' : 'start',
  }));
