import { useMemo } from 'preact/hooks';
import type { Stats } from '#shared/events/parties/stats.ts';
import { Chart, type ChartSeries } from '#api/dashboard/browser/parts/chart.tsx';
import {
  countText,
  dayText,
  dayTime,
  percentText,
  shortTime,
  usdShort,
  usdSum,
} from '#api/dashboard/browser/parts/format.ts';
import { Loaded, Section } from '#api/dashboard/browser/parts/page.tsx';
import { Tile } from '#api/dashboard/browser/parts/tile.tsx';
import { useQuery } from '#api/dashboard/browser/parts/use_query.ts';
import { LIVE, useReading } from '#api/dashboard/browser/reading/use_reading.ts';

type StatsBucket = Stats['data'][number];

type Span = { bucket: Stats['bucket']; count: number; milliseconds: number; name: string; before: string };

const spans: Record<'hours' | 'days', Span> = {
  hours: {
    bucket: 'hour',
    count: 48,
    milliseconds: 3_600_000,
    name: 'Last 48 hours',
    before: 'the 48 hours before',
  },
  days: { bucket: 'day', count: 30, milliseconds: 86_400_000, name: 'Last 30 days', before: 'the 30 days before' },
};

/** How much happened over time, compared with as long a time before. The address has which time: `span`. */
export function Trends() {
  const { query } = useQuery();
  const chosen = query['span'] === 'days' ? 'days' : 'hours';
  const span = spans[chosen];
  // In whole buckets, the one that has begun included; the same question until the next one begins.
  const first = Math.floor(Date.now() / span.milliseconds) - 2 * span.count + 1;
  const from = new Date(first * span.milliseconds).toISOString();
  const known = useReading('GET /v1/stats', { query: { bucket: span.bucket, from } }, 2 * LIVE);
  return (
    <Section
      title={`${span.name}, by ${span.bucket === 'day' ? 'day (UTC)' : 'hour'}`}
      actions={
        <nav class="choices" aria-label="Time shown">
          <a href="/" aria-current={chosen === 'hours' ? 'true' : undefined}>
            48 hours
          </a>
          <a href="/?span=days" aria-current={chosen === 'days' ? 'true' : undefined}>
            30 days
          </a>
        </nav>
      }
    >
      <Loaded known={known}>{({ data }) => <Shown key={chosen} buckets={data} span={span} />}</Loaded>
    </Section>
  );
}

/** `show` for a sum, `axis` where there is little room. */
type Measure = {
  name: string;
  of: (bucket: StatsBucket) => number;
  show: (value: number) => string;
  axis: (value: number) => string;
  color: string;
};

/** The axis of a count has lines between whole numbers too, and they need no name. */
const wholeText = (value: number): string => (Number.isInteger(value) ? countText(value) : '');

const count = { show: countText, axis: wholeText };
const money = { show: usdSum, axis: usdShort };
const measures: Measure[] = [
  { name: 'Payments', of: ({ payments }) => payments, ...count, color: '--accent' },
  { name: 'Spend', of: ({ spend_usd_minor }) => Number(spend_usd_minor), ...money, color: '--good' },
  { name: 'Alerts', of: ({ alerts }) => alerts, ...count, color: '--warn' },
  { name: 'Mandate breaches', of: ({ breaches }) => breaches, ...count, color: '--bad' },
];

function Shown({ buckets, span }: { buckets: StatsBucket[]; span: Span }) {
  const now = buckets.slice(-span.count);
  const before = buckets.slice(0, -span.count);
  const timeOf = (seconds: number) => (span.bucket === 'day' ? dayText : shortTime)(seconds * 1_000);
  const charts = useMemo(() => chartsOf(now, span), [buckets]);
  return (
    <>
      <div class="tiles">
        {measures.map(({ name, of, show }) => (
          <Tile key={name} name={name} value={show(sum(now.map(of)))}>
            {comparedText(sum(now.map(of)), sum(before.map(of)), show)} {span.before}
          </Tile>
        ))}
      </div>
      <div class="columns">
        {charts.map(chart => (
          <Chart key={chart.title} {...chart} timeOf={timeOf} />
        ))}
      </div>
    </>
  );
}

/** Charts are drawn anew when these change, and not for every answer that says the same. */
function chartsOf(buckets: StatsBucket[], { bucket }: Span) {
  const times = buckets.map(({ at }) => (bucket === 'day' ? dayTime(at) : Date.parse(at) / 1_000));
  return measures.map(({ name, of, show, axis, color }) => {
    const series: ChartSeries[] = [{ name, values: buckets.map(of), color, bars: true }];
    return { title: name, times, series, show: axis, exact: show };
  });
}

const sum = (values: number[]): number => values.reduce((total, value) => total + value, 0);

/** What to write before the name of the time before. */
function comparedText(now: number, before: number, show: (value: number) => string): string {
  if (before === 0) return 'none in';
  if (before === now) return 'the same as in';
  // Of a few, the number says more than a percentage of it.
  if (before < 20) return `${show(before)} in`;
  if (now >= 2 * before) return `${countText(Math.round((10 * now) / before) / 10)} times as much as in`;
  return `${percentText(Math.abs(now - before) / before)} ${now > before ? 'more' : 'less'} than in`;
}
