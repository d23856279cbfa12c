import type { DataOf } from '#api/client/call.ts';
import { shortTime } from '#api/dashboard/browser/parts/format.ts';

type LimitUse = DataOf<'GET /v1/mandates/{id}/use'>['limits'][number];

const WIDTH = 640;
const HEIGHT = 96;
const TOP = 8;

/** How the use of a budget grew over its period, beside its limit. The words above it say the numbers. */
export function UseCurve({ limit: { curve, period, limit } }: { limit: LimitUse }) {
  if (!curve || curve.length < 2 || !period) return null;
  const [start, end] = [Date.parse(period.from), Date.parse(period.to)];
  const used = curve.map(point => Number(point.used));
  // For a drawing only.
  const most = Math.max(Number(limit), ...used, 1);
  const xOf = (at: string) => ((Date.parse(at) - start) / (end - start)) * WIDTH;
  const yOf = (value: number) => TOP + (1 - value / most) * (HEIGHT - TOP);
  const line = curve.map((point, index) => `${xOf(point.at).toFixed(1)} ${yOf(used[index] ?? 0).toFixed(1)}`);
  const last = curve.at(-1);
  const isOver = (used.at(-1) ?? 0) > Number(limit);
  return (
    <figure class={isOver ? 'use-curve over' : 'use-curve'}>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
        <path class="area" d={`M0 ${HEIGHT} L${line.join(' L')} L${xOf(last?.at ?? '').toFixed(1)} ${HEIGHT} Z`} />
        <path class="line" d={`M0 ${yOf(0)} L${line.join(' L')}`} />
        <path class="limit" d={`M0 ${yOf(Number(limit))} H${WIDTH}`} />
      </svg>
      <figcaption>
        <span>{shortTime(period.from)}</span>
        <span>{shortTime(period.to)}</span>
      </figcaption>
    </figure>
  );
}
