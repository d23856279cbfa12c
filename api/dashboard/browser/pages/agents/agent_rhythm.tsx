import { useMemo } from 'preact/hooks';
import type { AgentSummary } from '#shared/events/parties/agent_summary.ts';
import { Chart } from '#api/dashboard/browser/parts/chart.tsx';
import {
  countText,
  dayText,
  dayTime,
  percentText,
  usdShort,
  usdSum,
  wordsOf,
} from '#api/dashboard/browser/parts/format.ts';
import { Loaded, Section } from '#api/dashboard/browser/parts/page.tsx';
import { type Column, Table } from '#api/dashboard/browser/parts/table.tsx';
import { Usd } from '#api/dashboard/browser/parts/values.tsx';
import { PayeeGraph } from './payee_graph.tsx';
import { useReading } from '#api/dashboard/browser/reading/use_reading.ts';

/** What the agent spent in the last 30 days: when, by which rails, to whom; and how its events were judged. */
export function AgentRhythm({ id, name }: { id: string; name: string }) {
  const reading = useReading('GET /v1/agents/{id}/summary', { params: { id } });
  return (
    <Section title="Last 30 days (UTC)">
      <Loaded reading={reading}>{summary => <Shown summary={summary} name={name} />}</Loaded>
    </Section>
  );
}

const Shown = ({ summary, name }: { summary: AgentSummary; name: string }) => (
  <>
    <Days days={summary.by_day} />
    <div class="columns more">
      <div>
        {summary.by_rail.length === 0 ? (
          <p class="quiet">No payments in the last 30 days.</p>
        ) : (
          <Table caption="By rail" columns={railColumns} rows={summary.by_rail} idOf={({ rail }) => `rail-${rail}`} />
        )}
        <div class="more">
          <Results name="Verification" of={summary.verification} none="Without evidence" />
        </div>
        <div class="more">
          <Results name="Mandates" of={summary.mandates} none="Without a mandate" />
        </div>
      </div>
      <div>
        <h3>Who it pays</h3>
        <PayeeGraph name={name} payees={summary.by_payee} />
        <details>
          <summary>As a table</summary>
          <Table caption="By payee" columns={payeeColumns} rows={summary.by_payee} idOf={({ payee_id }) => payee_id} />
        </details>
      </div>
    </div>
  </>
);

function Days({ days }: { days: AgentSummary['by_day'] }) {
  const [spend, payments] = useMemo(() => {
    const values = days.map(({ spend_usd_minor }) => Number(spend_usd_minor));
    const counts = days.map(day => day.payments);
    return [
      [{ name: 'Spend', values, color: '--good', bars: true }],
      [{ name: 'Payments', values: counts, color: '--accent', bars: true }],
    ];
  }, [days]);
  const times = useMemo(() => days.map(({ day }) => dayTime(day)), [days]);
  const timeOf = (seconds: number) => dayText(seconds * 1_000);
  return (
    <div class="columns">
      <Chart title="Spend by day" times={times} series={spend ?? []} show={usdShort} exact={usdSum} timeOf={timeOf} />
      <Chart title="Payments by day" times={times} series={payments ?? []} show={wholeText} timeOf={timeOf} />
    </div>
  );
}

const wholeText = (value: number): string => (Number.isInteger(value) ? countText(value) : '');

type Sums = { payments: number; spend_usd_minor: string };
const sums: Column<Sums>[] = [
  { name: 'Payments', align: 'end', show: ({ payments }) => countText(payments) },
  { name: 'Spend', align: 'end', show: ({ spend_usd_minor }) => <Usd cents={spend_usd_minor} /> },
];
const railColumns: Column<AgentSummary['by_rail'][number]>[] = [
  { name: 'Rail', show: ({ rail }) => wordsOf(rail) },
  ...sums,
];
const payeeColumns: Column<AgentSummary['by_payee'][number]>[] = [
  {
    name: 'Payee',
    show: ({ payee_id, name, key }) => (
      <a class="payee-cell" href={`/payees/${payee_id}`} title={key}>
        {name ?? key}
      </a>
    ),
  },
  ...sums,
];

/** How many events came out how. */
function Results({ name, of, none }: { name: string; of: Record<string, number>; none: string }) {
  const rows = Object.entries(of).map(([result, count]) => ({ result, count }));
  const all = rows.reduce((total, { count }) => total + count, 0);
  return (
    <Table
      caption={name}
      columns={[
        { name, show: ({ result }) => (result === 'none' ? wordsOf(none) : wordsOf(result)) },
        { name: 'Events', align: 'end', show: ({ count }) => countText(count) },
        { name: 'Share', align: 'end', show: ({ count }) => (all === 0 ? '–' : percentText(count / all)) },
      ]}
      rows={rows}
      idOf={({ result }) => `${name}-${result}`}
    />
  );
}
