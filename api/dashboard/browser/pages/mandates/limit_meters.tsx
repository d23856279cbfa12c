import type { DataOf } from '#api/client/call.ts';
import { moneyText } from '#shared/mandates/money_text.ts';
import { countText, percentText, shortTime, timeText } from '#api/dashboard/browser/parts/format.ts';

type LimitUse = DataOf<'GET /v1/mandates/{id}/use'>['limits'][number];

/** How much of a constraint's limits is used: a bar, and the same in words. */
export const LimitMeters = ({ limits }: { limits: LimitUse[] }) => (
  <>
    {limits.map((limit, index) => (
      <div key={index}>
        <LimitMeter limit={limit} />
        <UseCurve limit={limit} />
      </div>
    ))}
  </>
);

function LimitMeter({ limit: { used, limit, remaining, unpriced, currency, asset, period } }: { limit: LimitUse }) {
  const textOf = (value: string) =>
    currency || asset
      ? moneyText(value, { currency: currency ?? undefined, asset: asset ?? undefined })
      : paymentsText(value);
  if (used === null)
    return (
      <p class="quiet">
        Too many payments to show how much of {textOf(limit)} is used. All of them still count toward the limit.
      </p>
    );
  const share = shareOf(used, limit);
  const level = share >= 1 ? 'full' : share >= 0.8 ? 'near' : '';
  const said = `${textOf(used)} of ${textOf(limit)} used (${share > 0 && share < 0.01 ? 'under 1%' : percentText(share)})`;
  return (
    <div class="limit">
      <div
        class={`meter ${level}`}
        role="meter"
        aria-label="Used"
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.min(100, Math.floor(share * 100))}
        aria-valuetext={said}
      >
        <span style={{ width: `${Math.min(100, share * 100)}%` }} />
      </div>
      <p>
        {said} · {remaining === '0' || remaining === null ? <strong>None left</strong> : `${textOf(remaining)} left`}
      </p>
      <small class="quiet">
        {period ? `${timeText(period.from)} – ${timeText(period.to)}` : 'Entire mandate'}
        {unpriced !== null && unpriced > 0 && ` · ${paymentsText(String(unpriced))} without a price not counted`}
      </small>
    </div>
  );
}

const paymentsText = (count: string) => `${countText(Number(count))} ${count === '1' ? 'payment' : 'payments'}`;

/** For the length of a bar only. */
function shareOf(used: string, limit: string): number {
  if (Number(limit) === 0) return Number(used) > 0 ? 1 : 0;
  return Number(used) / Number(limit);
}

const WIDTH = 640;
const HEIGHT = 96;
const TOP = 8;

/** How the use of a budget grew over its period, beside its limit. The words above it say the numbers. */
function UseCurve({ limit: { curve, period, limit } }: { limit: LimitUse }) {
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
