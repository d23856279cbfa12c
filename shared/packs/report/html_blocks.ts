import { barSvg, seriesSvg } from './html_charts.ts';
import type {
  Bars,
  ReportBlock,
  ReportColumn,
  ReportRecord,
  ReportFact,
  ReportList,
  Series,
  TextSpan,
  ReportTable,
  Text,
  Timeline,
} from './report.ts';
import { type Html, html } from '#shared/platform/html.ts';

/** The events that have a row, as targets of links. */
type Rows = ReadonlySet<number>;

export function blockHtml(block: ReportBlock, rows: Rows): Html {
  switch (block.type) {
    case 'paragraph':
      return html`<p>${textHtml(block.text, rows)}</p>`;
    case 'note':
      return html`<p class="note">${textHtml(block.text, rows)}</p>`;
    case 'facts':
      return factsHtml(block.facts, rows);
    case 'table':
      return tableHtml(block, rows);
    case 'bars':
      return barsHtml(block, rows);
    case 'series':
      return seriesHtml(block, rows);
    case 'records':
      return [block.records.map(entry => entryHtml(entry, rows)), moreHtml(block.more)];
    case 'timeline':
      return timelineHtml(block, rows);
    case 'steps':
      return html`<ol class="steps">${itemsHtml(block.steps, rows)}</ol>`;
  }
}

/** A list of labeled facts. */
export const factsHtml = (facts: readonly ReportFact[], rows: Rows): Html =>
  html`<dl>${facts.map(({ label, text }) => html`<div><dt>${label}</dt><dd>${textHtml(text, rows)}</dd></div>`)}</dl>`;

/** A text of a report. An event that has a row is linked to it. */
export const textHtml = (text: Text, rows: Rows): Html => [text].flat().map(span => spanHtml(span, rows));

function spanHtml(span: TextSpan, rows: Rows): Html {
  if (typeof span === 'string') return span;
  if ('outside' in span) return html`<bdi dir="auto" class=${span.minor && 'minor'}>${span.outside}</bdi>`;
  if ('code' in span) return html`<code>${span.code}</code>`;
  if ('time' in span) return html`<time datetime=${span.time}>${span.text}</time>`;
  if ('verdict' in span) return html`<b class=${span.tone}>${span.verdict}</b>`;
  const links = span.seqs.map((seq, index) => [
    index > 0 && ', ',
    rows.has(seq) ? html`<a href="#e${seq}">#${seq}</a>` : `#${seq}`,
  ]);
  return html`<span class="refs">${links}${span.more && ` ${span.more}`}</span>`;
}

const moreHtml = (more: string | null) => more !== null && html`<p class="more">${more}</p>`;

const itemsHtml = (items: readonly Text[], rows: Rows) => items.map(item => html`<li>${textHtml(item, rows)}</li>`);

/** A table in a frame of its own, which scrolls when the page is too narrow. */
const framed = (name: string, { caption, more }: { caption: string; more: string | null }, head: Html[], body: Html) =>
  html`<div class=${name} role="region" tabindex="0" aria-label=${caption}><table>
    <caption>${caption}</caption>
    <thead><tr>${head}</tr></thead>
    <tbody>${body}</tbody>
    ${more !== null && html`<tfoot><tr><td colspan=${head.length}>${more}</td></tr></tfoot>`}
  </table></div>`;

const classOf = (align: ReportColumn['align'] | undefined) => align === 'end' && 'end';

const headHtml = ({ title, align }: Pick<ReportColumn, 'title' | 'align'>) =>
  html`<th scope="col" class=${classOf(align)}>${title}</th>`;

function tableHtml(table: ReportTable, rows: Rows): Html {
  const { columns } = table;
  const cellHtml = (cell: Text, index: number) =>
    index === 0
      ? html`<th scope="row">${textHtml(cell, rows)}</th>`
      : html`<td class=${classOf(columns[index]?.align)}>${textHtml(cell, rows)}</td>`;
  const lines = table.rows.map(
    ({ seq, cells }) => html`<tr id=${seq !== null && `e${seq}`}>${cells.map(cellHtml)}</tr>`,
  );
  return framed('frame', table, columns.map(headHtml), lines);
}

function barsHtml(bars: Bars, rows: Rows): Html {
  const [label, value, also, events] = bars.columns;
  const head = [
    headHtml({ title: label, align: 'start' }),
    headHtml({ title: value, align: 'end' }),
    html`<td class="bar"></td>`,
    headHtml({ title: also, align: 'end' }),
    headHtml({ title: events, align: 'start' }),
  ];
  const lines = bars.rows.map(
    row => html`<tr>
      <th scope="row">${textHtml(row.label, rows)}</th>
      <td class="end">${row.value}</td>
      <td class="bar">${barSvg(row.share)}</td>
      <td class="end">${row.also}</td>
      <td>${textHtml(row.events, rows)}</td>
    </tr>`,
  );
  return framed('frame bars', bars, head, lines);
}

/** Charts, followed by the same numbers; empty periods are left out of the numbers. */
function seriesHtml(series: Series, rows: Rows): Html {
  const { caption, unit, charts, points } = series;
  const columns: ReportColumn[] = [
    { title: unit, width: 1, align: 'start' },
    ...charts.map(({ title }) => ({ title, width: 1, align: 'end' as const })),
    { title: 'Events', width: 1, align: 'start' },
  ];
  const lines = points
    .filter(({ events }) => events !== '')
    .map(({ label, texts, events }) => ({ seq: null, cells: [label, ...texts, events] }));
  const table = tableHtml({ type: 'table', caption, columns, rows: lines, more: null }, rows);
  const figures = charts.map(
    ({ title }, index) => html`<figure><figcaption>${title}</figcaption>${seriesSvg(series, index)}</figure>`,
  );
  return html`<div class="charts">${figures}</div>
    <details><summary>The numbers of these charts</summary>${table}</details>`;
}

const entryHtml = ({ title, facts, paragraphs, table, list }: ReportRecord, rows: Rows) =>
  html`<article>
    <h3>${textHtml(title, rows)}</h3>
    ${paragraphs.map(text => html`<p>${textHtml(text, rows)}</p>`)}
    ${factsHtml(facts, rows)}
    ${table && tableHtml(table, rows)}
    ${list && listHtml(list, rows)}
  </article>`;

const listHtml = ({ title, items, more }: ReportList, rows: Rows) =>
  html`<h4>${title}</h4><ul>${itemsHtml(items, rows)}</ul>${moreHtml(more)}`;

const timelineHtml = ({ caption, items, more }: Timeline, rows: Rows) =>
  html`<h3>${caption}</h3>
    <ol class="timeline">
      ${items.map(({ at, text }) => html`<li>${textHtml(at, rows)} <span>${textHtml(text, rows)}</span></li>`)}
    </ol>
    ${moreHtml(more)}`;
