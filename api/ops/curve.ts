import { type Html, html } from '#shared/platform/html.ts';

const WIDTH = 96;
const HEIGHT = 22;

/** A small curve of a value per minute, the latest at the right; `label` says in words what it shows. Flat at the bottom where all is zero. */
export function curve(label: string, values: readonly number[]): Html {
  const most = Math.max(...values, 0);
  const step = WIDTH / Math.max(values.length - 1, 1);
  const points = values
    .map(
      (value, index) =>
        `${(index * step).toFixed(1)},${(HEIGHT - 1 - (most === 0 ? 0 : value / most) * (HEIGHT - 3)).toFixed(1)}`,
    )
    .join(' ');
  return html`<svg class="curve" role="img" aria-label=${label} width=${WIDTH} height=${HEIGHT} viewBox=${`0 0 ${WIDTH} ${HEIGHT}`}>
    <polyline points=${points} />
  </svg>`;
}
