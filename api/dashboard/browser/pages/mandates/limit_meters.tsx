import type { DataOf } from '#api/client/call.ts';
import { moneyText } from '#shared/mandates/money_text.ts';
import { countText, percentText, timeText } from '#api/dashboard/browser/parts/format.ts';
import { UseCurve } from './use_curve.tsx';

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
