import { barSvg, seriesSvg } from './html_charts.ts';
import { escapeHtml, textHtml } from './html_text.ts';
import type { Bars, Block, Column, Entry, Fact, List, Series, Table, Text, Timeline } from './report.ts';

type Rows = ReadonlySet<number>;

/** A block of a report. Events that have a row, `rows`, are linked to it. */
export function blockHtml(block: Block, rows: Rows): string {
  switch (block.type) {
    case 'paragraph':
      return `<p>${textHtml(block.text, rows)}</p>`;
    case 'note':
      return `<p class="note">${textHtml(block.text, rows)}</p>`;
    case 'facts':
      return factsHtml(block.facts, rows);
    case 'table':
      return tableHtml(block, rows);
    case 'bars':
      return barsHtml(block, rows);
    case 'series':
      return seriesHtml(block, rows);
    case 'records':
      return `${block.records.map(entry => entryHtml(entry, rows)).join('\n')}${moreHtml(block.more)}`;
    case 'timeline':
      return timelineHtml(block, rows);
    case 'steps':
      return `<ol class="steps">${block.steps.map(step => `<li>${textHtml(step, rows)}</li>`).join('')}</ol>`;
  }
}

const moreHtml = (more: string | null) => (more === null ? '' : `<p class="more">${escapeHtml(more)}</p>`);

const factsHtml = (facts: readonly Fact[], rows: Rows) =>
  `<dl>${facts.map(({ label, text }) => `<div><dt>${escapeHtml(label)}</dt><dd>${textHtml(text, rows)}</dd></div>`).join('')}</dl>`;

/** A table in a frame of its own, which is scrolled where the page is too narrow. `name` is its class. */
const framed = (name: string, caption: string, head: string, body: string, foot: string) =>
  `<div class="${name}" role="region" tabindex="0" aria-label="${escapeHtml(caption)}"><table>
<caption>${escapeHtml(caption)}</caption>
<thead><tr>${head}</tr></thead>
<tbody>
${body}
</tbody>${foot}
</table></div>`;

const footHtml = (more: string | null, columns: number) =>
  more === null ? '' : `\n<tfoot><tr><td colspan="${columns}">${escapeHtml(more)}</td></tr></tfoot>`;

const headHtml = ({ title, align }: Pick<Column, 'title' | 'align'>) =>
  `<th scope="col"${align === 'end' ? ' class="end"' : ''}>${escapeHtml(title)}</th>`;

const tableHtml = ({ caption, columns, rows: lines, more }: Table, rows: Rows) =>
  framed(
    'frame',
    caption,
    columns.map(headHtml).join(''),
    lines
      .map(({ seq, cells }) => `<tr${seq === null ? '' : ` id="e${seq}"`}>${cellsHtml(cells, columns, rows)}</tr>`)
      .join('\n'),
    footHtml(more, columns.length),
  );

const cellsHtml = (cells: readonly Text[], columns: readonly Column[], rows: Rows) =>
  cells
    .map((cell, index) => {
      const text = textHtml(cell, rows);
      if (index === 0) return `<th scope="row">${text}</th>`;
      return columns[index]?.align === 'end' ? `<td class="end">${text}</td>` : `<td>${text}</td>`;
    })
    .join('');

function barsHtml({ caption, columns: [label, value, also, events], rows: lines, more }: Bars, rows: Rows): string {
  const titles = [
    headHtml({ title: label, align: 'start' }),
    headHtml({ title: value, align: 'end' }),
    '<td class="bar"></td>',
    headHtml({ title: also, align: 'end' }),
    headHtml({ title: events, align: 'start' }),
  ];
  const body = lines.map(
    row =>
      `<tr><th scope="row">${textHtml(row.label, rows)}</th><td class="end">${escapeHtml(row.value)}</td><td class="bar">${barSvg(row.share)}</td><td class="end">${escapeHtml(row.also)}</td><td>${textHtml(row.events, rows)}</td></tr>`,
  );
  return framed('frame bars', caption, titles.join(''), body.join('\n'), footHtml(more, titles.length));
}

/** Charts, and behind them the same numbers; periods without any are left out of the numbers. */
function seriesHtml(series: Series, rows: Rows): string {
  const { caption, unit, charts, points } = series;
  const columns: Column[] = [
    { title: unit, width: 1, align: 'start' },
    ...charts.map(({ title }) => ({ title, width: 1, align: 'end' as const })),
    { title: 'Events', width: 1, align: 'start' },
  ];
  const lines = points
    .filter(({ events }) => events !== '')
    .map(({ label, texts, events }) => ({ seq: null, cells: [label, ...texts, events] }));
  const table = tableHtml({ type: 'table', caption, columns, rows: lines, more: null }, rows);
  const figures = charts.map(
    ({ title }, index) => `<figure><figcaption>${escapeHtml(title)}</figcaption>${seriesSvg(series, index)}</figure>`,
  );
  return `<div class="charts">${figures.join('')}</div>
<details><summary>The numbers of these charts</summary>${table}</details>`;
}

const entryHtml = ({ title, facts, paragraphs, table, list }: Entry, rows: Rows) => `<article>
<h3>${textHtml(title, rows)}</h3>
${paragraphs.map(text => `<p>${textHtml(text, rows)}</p>`).join('')}
${factsHtml(facts, rows)}
${table ? tableHtml(table, rows) : ''}${list ? listHtml(list, rows) : ''}
</article>`;

const listHtml = ({ title, items, more }: List, rows: Rows) =>
  `<h4>${escapeHtml(title)}</h4><ul>${items.map(item => `<li>${textHtml(item, rows)}</li>`).join('')}</ul>${moreHtml(more)}`;

const timelineHtml = ({ caption, items, more }: Timeline, rows: Rows) =>
  `<h3>${escapeHtml(caption)}</h3><ol class="timeline">${items
    .map(({ at, text }) => `<li>${textHtml(at, rows)} <span>${textHtml(text, rows)}</span></li>`)
    .join('\n')}</ol>${moreHtml(more)}`;
