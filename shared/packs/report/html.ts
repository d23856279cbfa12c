import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { blockHtml } from './html_blocks.ts';
import { escapeHtml, textHtml } from './html_text.ts';
import type { Fact, Figure, Report, Section } from './report.ts';

/** The text of the one style sheet; a page that holds a report allows it by its hash. */
export const reportStyle = readFileSync(new URL('./report.css', import.meta.url), 'utf8');

/** What a page around the report puts a line of its own in the place of. It stands once in a report, where the body begins. */
export const SHARE_BAR = '<!-- share-bar -->';

/**
 * A report as one file of HTML that needs nothing else: no script, no address, no image; the charts are SVG within it. It is well-formed
 * XML too. Everything in it that came from outside is escaped.
 */
export function reportHtml(report: Report): string {
  const rows = shownEvents(report);
  const { kind, title, name, pack_id, facts, figures, sections } = report;
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8" />
<meta http-equiv="Content-Security-Policy" content="${policy}" />
<meta name="viewport" content="width=device-width, initial-scale=1" />
<meta name="robots" content="noindex" />
<meta name="color-scheme" content="light dark" />
<title>${escapeHtml(name)}</title>
<style>${reportStyle}</style>
</head>
<body>${SHARE_BAR}
<main>
<header>
<p class="kind">${escapeHtml(kind)}</p>
<h1>${textHtml(title, rows)}</h1>
${factsHtml(facts, rows)}
</header>
<section aria-labelledby="summary">
<h2 id="summary">Summary</h2>
<div class="figures">
${figures.map(figure => figureHtml(figure, rows)).join('\n')}
</div>
</section>
<nav aria-labelledby="contents">
<h2 id="contents">Contents</h2>
<ol>
${sections.map(({ id, title }) => `<li><a href="#${id}">${escapeHtml(title)}</a></li>`).join('\n')}
</ol>
</nav>
${sections.map(section => sectionHtml(section, rows)).join('\n')}
</main>
<footer>${escapeHtml(kind)} <code>${escapeHtml(pack_id)}</code></footer>
</body>
</html>
`;
}

// The file is opened from a disk as well, where nobody sends a policy with it.
const policy = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(reportStyle).digest('base64')}'`;

/** The events that have a row of their own here, which links can lead to. */
const shownEvents = ({ sections }: Report): ReadonlySet<number> =>
  new Set(
    sections.flatMap(({ blocks }) =>
      blocks.flatMap(block => (block.type === 'table' ? block.rows.flatMap(({ seq }) => seq ?? []) : [])),
    ),
  );

const factsHtml = (facts: readonly Fact[], rows: ReadonlySet<number>) =>
  blockHtml({ type: 'facts', facts: [...facts] }, rows);

const figureHtml = ({ label, value, tone, rule, events }: Figure, rows: ReadonlySet<number>) => `<div class="figure">
<p class="label">${escapeHtml(label)}</p>
<p class="value${tone ? ` ${tone}` : ''}">${escapeHtml(value)}</p>
<p class="rule">${escapeHtml(rule)} ${textHtml(events, rows)}</p>
</div>`;

const sectionHtml = ({ id, title, blocks }: Section, rows: ReadonlySet<number>) => `<section aria-labelledby="${id}">
<h2 id="${id}">${escapeHtml(title)}</h2>
${blocks.map(block => blockHtml(block, rows)).join('\n')}
</section>`;
