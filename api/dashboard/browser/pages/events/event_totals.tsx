import type { DataOf } from '#api/client/call.ts';
import type { Filter } from '#api/dashboard/browser/parts/filters.tsx';
import { comparedText, countText, usdSum } from '#api/dashboard/browser/parts/format.ts';
import { rangeBefore } from '#api/dashboard/browser/parts/period.ts';
import { useQuery } from '#api/dashboard/browser/parts/use_query.ts';
import { SLOW, useReading } from '#api/dashboard/browser/reading/use_reading.ts';
import { narrowed } from '#api/dashboard/browser/reading/use_rows.ts';

/** What the events that the filters leave come to, beside those of as long a time before where they leave a period. */
export function EventTotals({ filters }: { filters: Filter<'GET /v1/events'>[] }) {
  const { query } = useQuery();
  const asked = narrowed<'GET /v1/events'>(filters, query);
  const before = rangeBefore(query);
  const now = useReading('GET /v1/event-totals', { query: asked }, SLOW).data;
  const former = useReading('GET /v1/event-totals', before && { query: { ...asked, ...before } }, SLOW).data;
  // The line is there before its numbers are, so that nothing moves.
  if (!now) return <>&nbsp;</>;
  return (
    <>
      {!now.complete && 'Latest '}
      <Count of={now.events} noun="event" /> · <Count of={now.payments} noun="payment" /> ·{' '}
      <strong>{usdSum(Number(now.spend_usd_minor))}</strong>
      {former && <Compared now={now} former={former} />} · newest received first
    </>
  );
}

const Count = ({ of, noun }: { of: number; noun: string }) => (
  <>
    <strong>{countText(of)}</strong> {of === 1 ? noun : `${noun}s`}
  </>
);

type Totals = DataOf<'GET /v1/event-totals'>;

/** Of more than are added up, a comparison would say nothing. */
const Compared = ({ now, former }: { now: Totals; former: Totals }) =>
  now.complete && former.complete ? (
    <span>
      {' '}
      · {comparedText(Number(now.spend_usd_minor), Number(former.spend_usd_minor), usdSum, 'previous period')}
    </span>
  ) : null;
