import { useMemo } from 'preact/hooks';
import type { Stats } from '#shared/events/parties/stats.ts';
import { Chart, type ChartSeries } from '#api/dashboard/browser/parts/chart.tsx';
import {
  comparedText,
  countText,
  dayText,
  dayTime,
  shortTime,
  usdShort,
  usdSum,
} from '#api/dashboard/browser/parts/format.ts';
import { Loaded, Section } from '#api/dashboard/browser/parts/page.tsx';
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
    before: 'previous 48 h',
  },
  days: { bucket: 'day', count: 30, milliseconds: 86_400_000, name: 'Last 30 days', before: 'previous 30 days' },
};

/** How much happened over time, compared with as long a time before. The address has which time: `span`. */
export function Trends() {
  const { query } = useQuery();
  const chosen = query['span'] === 'days' ? 'days' : 'hours';
  const span = spans[chosen];
  // In whole buckets, the one that has begun included; the same question until the next one begins.
  const first = Math.floor(Date.now() / span.milliseconds) - 2 * span.count + 1;
  const from = new Date(first * span.milliseconds).toISOString();
  const reading = useReading('GET /v1/stats', { query: { bucket: span.bucket, from } }, 2 * LIVE);
  return (
    <Section
      title={`Activity by ${span.bucket === 'day' ? 'day (UTC)' : 'hour'}`}
      actions={
        <nav class="choices" aria-label="Period">
          <a href="/" aria-current={chosen === 'hours' ? 'true' : undefined}>
            48 hours
          </a>
          <a href="/?span=days" aria-current={chosen === 'days' ? 'true' : undefined}>
            30 days
          </a>
        </nav>
      }
    >
      <Loaded reading={reading}>{({ data }) => <Shown key={chosen} buckets={data} span={span} />}</Loaded>
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
/** Millionths of a US dollar: an hour of micro-payments may come to less than a cent. */
const money = {
  show: (micro: number) => usdSum(micro / 10_000),
  axis: (micro: number) => usdShort(micro / 10_000),
};
const measures: [Measure, ...Measure[]] = [
  { name: 'Payments', of: ({ payments }) => payments, ...count, color: '--accent' },
  { name: 'Spend', of: ({ spend_usd_micro }) => Number(spend_usd_micro), ...money, color: '--good' },
  { name: 'Alerts raised', of: ({ alerts }) => alerts, ...count, color: '--warn' },
  { name: 'Breach alerts raised', of: ({ breaches }) => breaches, ...count, color: '--bad' },
];

function Shown({ buckets, span }: { buckets: StatsBucket[]; span: Span }) {
  const now = buckets.slice(-span.count);
  const before = buckets.slice(0, -span.count);
  const timeOf = (seconds: number) => (span.bucket === 'day' ? dayText : shortTime)(seconds * 1_000);
  const charts = useMemo(() => chartsOf(now, span), [buckets]);
  return (
    <div class="charts">
      {charts.map((chart, index) => {
        const { of, show } = measures[index] ?? measures[0];
        const [total, former] = [sum(now.map(of)), sum(before.map(of))];
        return (
          <Chart
            key={chart.title}
            {...chart}
            total={show(total)}
            compared={comparedText(total, former, show, span.before)}
            timeOf={timeOf}
          />
        );
      })}
    </div>
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
