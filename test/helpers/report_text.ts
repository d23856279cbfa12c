import type { ReportBlock, Figure, PackReport, Text } from '#shared/packs/report/report.ts';

/** A text of a report as it reads, without its form. */
export const plain = (text: Text): string =>
  [text]
    .flat()
    .map(span => {
      if (typeof span === 'string') return span;
      if ('outside' in span) return span.outside;
      if ('code' in span) return span.code;
      if ('time' in span) return span.text;
      if ('seqs' in span) return `${span.seqs.map(seq => `#${seq}`).join(', ')}${span.more && ` ${span.more}`}`;
      return span.verdict;
    })
    .join('');

/** The figure of the summary with this label: what it says, and the events behind it. */
export function figure({ figures }: PackReport, label: string): Pick<Figure, 'value' | 'rule'> & { events: string } {
  const found = figures.find(each => each.label === label);
  if (!found) throw new Error(`no figure ${label}`);
  return { value: found.value, rule: found.rule, events: plain(found.events) };
}

/** The blocks of one type in a section. */
export const blocks = <T extends ReportBlock['type']>({ sections }: PackReport, id: string, type: T) =>
  (sections.find(section => section.id === id)?.blocks ?? []).filter(
    (block): block is Extract<ReportBlock, { type: T }> => block.type === type,
  );

/** The rows of a table of a section, cell by cell. */
export const rows = (report: PackReport, section: string, caption: RegExp): string[][] =>
  blocks(report, section, 'table')
    .filter(table => caption.test(table.caption))
    .flatMap(table => table.rows.map(row => row.cells.map(plain)));

/** The rows of bars, without the bars. */
export const bars = (report: PackReport, section: string, caption: string): string[][] =>
  blocks(report, section, 'bars')
    .filter(block => block.caption === caption)
    .flatMap(block => block.rows.map(row => [plain(row.label), row.value, row.also, plain(row.events)]));
