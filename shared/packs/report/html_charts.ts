import { escapeHtml } from './html_text.ts';
import type { Series } from './report.ts';

/** One bar of a table; its number stands beside it. */
export const barSvg = (share: number): string =>
  `<svg viewBox="0 0 1000 100" preserveAspectRatio="none" aria-hidden="true" focusable="false"><rect class="mark" width="${share}" height="100" /></svg>`;

/** One chart of a series: a column a period, with the top of the scale and the first and last period written to it. */
export function seriesSvg({ charts, points }: Series, chart: number): string {
  const { title = '', top = '' } = charts[chart] ?? {};
  const width = Math.floor(WIDTH / Math.max(points.length, FEWEST));
  const gap = width > 6 ? 2 : 1;
  const columns = points.map(({ shares }, index) => {
    const height = Math.round(((shares[chart] ?? 0) * HEIGHT) / 1_000);
    return height === 0
      ? ''
      : `<rect class="mark" x="${LEFT + index * width}" y="${TOP + HEIGHT - height}" width="${width - gap}" height="${height}" />`;
  });
  const right = LEFT + Math.max(points.length, 1) * width - gap;
  const first = points[0]?.label ?? '';
  const last = points.length > 1 ? (points.at(-1)?.label ?? '') : '';
  const said = `${title}, from ${first}${last === '' ? '' : ` to ${last}`}; the highest is ${top}. The numbers are in the table that follows.`;
  return `<svg viewBox="0 0 ${LEFT + WIDTH} ${TOP + HEIGHT + BOTTOM}" role="img" aria-label="${escapeHtml(said)}">
<line class="grid" x1="${LEFT}" x2="${LEFT + WIDTH}" y1="${TOP}" y2="${TOP}" />
<line class="grid" x1="${LEFT}" x2="${LEFT + WIDTH}" y1="${TOP + HEIGHT / 2}" y2="${TOP + HEIGHT / 2}" />
<line class="axis" x1="${LEFT}" x2="${LEFT + WIDTH}" y1="${TOP + HEIGHT}" y2="${TOP + HEIGHT}" />
<text x="${LEFT}" y="${TOP - 5}">${escapeHtml(top)}</text>
${columns.join('')}
<text x="${LEFT}" y="${TOP + HEIGHT + 15}">${escapeHtml(first)}</text>
<text class="end" x="${Math.max(right, LEFT + 160)}" y="${TOP + HEIGHT + 15}">${escapeHtml(last)}</text>
</svg>`;
}

const LEFT = 1;
const TOP = 20;
const WIDTH = 460;
const HEIGHT = 100;
const BOTTOM = 20;
/** With fewer periods the columns stay as narrow as with these. */
const FEWEST = 12;
