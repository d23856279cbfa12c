import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { blockHtml, factsHtml, textHtml } from './html_blocks.ts';
import type { Figure, PackReport, ReportSection } from './report.ts';
import { documentText, html } from '#shared/platform/html.ts';

/** The text of the one style sheet; a page that holds a report allows it by its hash. */
export const reportStyle = readFileSync(new URL('./report.css', import.meta.url), 'utf8');

/** The placeholder, at the start of a report's body, that a page around it replaces with its own bar. */
export const SHARE_BAR = '<!-- share-bar -->';

/** A report as one self-contained HTML file: no scripts, addresses or images; the charts are inline SVG. It is also well-formed XML. */
export function reportHtml(report: PackReport): string {
  const rows = shownEvents(report);
  const { kind, title, name, pack_id, facts, figures, sections } = report;
  return documentText(html`<html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta http-equiv="Content-Security-Policy" content=${policy} />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="robots" content="noindex" />
      <meta name="color-scheme" content="light dark" />
      <title>${name}</title>
      <style dangerouslySetInnerHTML=${{ __html: reportStyle }} />
    </head>
    <body>
      <main>
        <header>
          <p class="kind">${kind}</p>
          <h1>${textHtml(title, rows)}</h1>
          ${factsHtml(facts, rows)}
        </header>
        <section aria-labelledby="summary">
          <h2 id="summary">Summary</h2>
          <div class="figures">${figures.map(figure => figureHtml(figure, rows))}</div>
        </section>
        <nav aria-labelledby="contents">
          <h2 id="contents">Contents</h2>
          <ol>${sections.map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`)}</ol>
        </nav>
        ${sections.map(section => sectionHtml(section, rows))}
      </main>
      <footer>${kind} <code>${pack_id}</code></footer>
    </body>
  </html>`).replace('<body>', `<body>${SHARE_BAR}`);
}

// The file is also opened from disk, where no server sends a policy.
const policy = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(reportStyle).digest('base64')}'`;

/** The events that have a row here, as targets of links. */
const shownEvents = ({ sections }: PackReport): ReadonlySet<number> =>
  new Set(
    sections.flatMap(({ blocks }) =>
      blocks.flatMap(block => (block.type === 'table' ? block.rows.flatMap(({ seq }) => seq ?? []) : [])),
    ),
  );

const figureHtml = ({ label, value, tone, rule, events }: Figure, rows: ReadonlySet<number>) =>
  html`<div class="figure">
    <p class="label">${label}</p>
    <p class=${tone ? `value ${tone}` : 'value'}>${value}</p>
    <p class="rule">${rule} ${textHtml(events, rows)}</p>
  </div>`;

const sectionHtml = ({ id, title, blocks }: ReportSection, rows: ReadonlySet<number>) =>
  html`<section aria-labelledby=${id}>
    <h2 id=${id}>${title}</h2>
    ${blocks.map(block => blockHtml(block, rows))}
  </section>`;
