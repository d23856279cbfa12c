import type { EventRefs, Span, Text } from './report.ts';

/** Text for HTML, in an element or in a quoted attribute. */
export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, character => entities[character] ?? '');

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** A text of a report. An event that is one of `rows` is linked to its row. */
export const textHtml = (text: Text, rows: ReadonlySet<number>): string =>
  [text]
    .flat()
    .map(span => spanHtml(span, rows))
    .join('');

function spanHtml(span: Span, rows: ReadonlySet<number>): string {
  if (typeof span === 'string') return escapeHtml(span);
  if ('outside' in span)
    return `<bdi dir="auto"${span.minor ? ' class="minor"' : ''}>${escapeHtml(span.outside)}</bdi>`;
  if ('code' in span) return `<code>${escapeHtml(span.code)}</code>`;
  if ('time' in span) return `<time datetime="${escapeHtml(span.time)}">${escapeHtml(span.text)}</time>`;
  if ('seqs' in span) return refsHtml(span, rows);
  return `<b class="${span.tone}">${escapeHtml(span.verdict)}</b>`;
}

function refsHtml({ seqs, more }: EventRefs, rows: ReadonlySet<number>): string {
  const links = seqs.map(seq => (rows.has(seq) ? `<a href="#e${seq}">#${seq}</a>` : `#${seq}`));
  return `<span class="refs">${links.join(', ')}${more === '' ? '' : ` ${escapeHtml(more)}`}</span>`;
}
