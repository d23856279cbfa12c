import type { Series } from './report.ts';
import { type Html, html } from '#shared/platform/html.ts';

/** One bar of a table, next to its number. */
export const barSvg = (share: number): Html =>
  html`<svg viewBox="0 0 1000 100" preserveAspectRatio="none" aria-hidden="true" focusable="false">
    <rect class="mark" width=${share} height="100" />
  </svg>`;

/** One chart of a series: a column for each period, labeled with the top of the scale and the first and last period. */
export function seriesSvg({ charts, points }: Series, chart: number): Html {
  const { title = '', top = '' } = charts[chart] ?? {};
  const width = Math.floor(WIDTH / Math.max(points.length, FEWEST));
  const gap = width > 6 ? 2 : 1;
  const columns = points.map(({ shares }, index) => {
    const height = Math.round(((shares[chart] ?? 0) * HEIGHT) / 1_000);
    const x = LEFT + index * width;
    return height > 0 && html`<rect class="mark" x=${x} y=${BASE - height} width=${width - gap} height=${height} />`;
  });
  const right = LEFT + Math.max(points.length, 1) * width - gap;
  const first = points[0]?.label ?? '';
  const last = points.length > 1 ? (points.at(-1)?.label ?? '') : '';
  const said = `${title}, from ${first}${last && ` to ${last}`}; the highest is ${top}. The numbers are in the table that follows.`;
  const line = (name: string, y: number) => html`<line class=${name} x1=${LEFT} x2=${LEFT + WIDTH} y1=${y} y2=${y} />`;
  return html`<svg viewBox="0 0 ${LEFT + WIDTH} ${BASE + BOTTOM}" role="img" aria-label=${said}>
    ${line('grid', TOP)}
    ${line('grid', TOP + HEIGHT / 2)}
    ${line('axis', BASE)}
    <text x=${LEFT} y=${TOP - 5}>${top}</text>
    ${columns}
    <text x=${LEFT} y=${BASE + 15}>${first}</text>
    <text class="end" x=${Math.max(right, LEFT + 160)} y=${BASE + 15}>${last}</text>
  </svg>`;
}

const LEFT = 1;
const TOP = 20;
const WIDTH = 460;
const HEIGHT = 100;
const BASE = TOP + HEIGHT;
const BOTTOM = 20;
/** With fewer periods, the columns stay as narrow as with these. */
const FEWEST = 12;
