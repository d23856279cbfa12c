import { useRoute } from 'preact-iso';
import type { BacktestDetail, BacktestFinding } from '#shared/detection/backtest/backtests.ts';
import { Badge } from '#api/dashboard/browser/parts/badge.tsx';
import { countText, percentText, timeText, wordsOf } from '#api/dashboard/browser/parts/format.ts';
import { ActorName } from '#api/dashboard/browser/parts/names.tsx';
import { Facts, Loaded, Page, Section } from '#api/dashboard/browser/parts/page.tsx';
import { type Column, Table } from '#api/dashboard/browser/parts/table.tsx';
import { Copy, Time } from '#api/dashboard/browser/parts/values.tsx';
import { STILL, useReading } from '#api/dashboard/browser/reading/use_reading.ts';
import { findingColumns } from './detector_findings.tsx';
import { nameOf, shownValue } from './parameter_fields.tsx';

/** One back-test: how far it is, what it found, and how that compares with the detector as it is set. */
export function BacktestPage() {
  const { params } = useRoute();
  const reading = useReading('GET /v1/backtests/{id}', { params: { id: params['id'] ?? '' } }, 2_000);
  const name = reading.data ? wordsOf(reading.data.detector) : '';
  return (
    <Page title={name ? `Back-test: ${name}` : 'Back-test'} eyebrow={<a href="/detectors">Detectors</a>}>
      <Loaded reading={reading}>{backtest => <Shown of={backtest} />}</Loaded>
    </Page>
  );
}

function Shown({ of }: { of: BacktestDetail }) {
  const isUnderWay = of.state === 'queued' || of.state === 'running';
  return (
    <>
      <div class="under-way" role="status">
        {isUnderWay && (
          <p class="note">
            {of.state === 'queued' ? 'Queued' : `${countText(of.events)} events analyzed so far.`}{' '}
            <progress value={of.progress} max={1} aria-label="Progress" /> {percentText(of.progress)}
          </p>
        )}
        {of.state === 'failed' && (
          <p class="problem">{of.error ?? 'The back-test failed.'} Run a new one from the detector’s page.</p>
        )}
      </div>
      <Facts
        of={[
          ['State', <Badge of={of.state} />],
          ['Detector', <a href={`/detectors/${of.detector}`}>{wordsOf(of.detector)}</a>],
          ['From', <Time at={of.from} />],
          ['To', <Time at={of.to} />],
          ['Events analyzed', countText(of.events)],
          ['Started by', <ActorName id={of.created_by} />],
          ['Finished', of.finished_at && <Time at={of.finished_at} />],
          ['ID', <Copy text={of.id} />],
        ]}
      />
      {of.truncated && <p class="note">A back-test analyzes up to 1,000,000 events. Later events were left out.</p>}
      <Comparison of={of} />
      <Section title="Findings">
        {of.sample.length === 0 ? (
          <p class="quiet">{isUnderWay ? 'None so far' : 'None. No alert would have been raised.'}</p>
        ) : (
          <>
            <Table caption="Findings, highest score first" columns={columns} rows={of.sample} idOf={idOf} />
            {of.sample.length < of.findings && (
              <p class="quiet">
                Showing the {of.sample.length} highest scores of {countText(of.findings)} findings.
              </p>
            )}
          </>
        )}
      </Section>
    </>
  );
}

/** The parameters and their results, beside the detector's present ones and the alerts it raised in that time. */
function Comparison({ of }: { of: BacktestDetail }) {
  const detector = useReading('GET /v1/detectors/{name}', { params: { name: of.detector } }, STILL);
  const quality = useReading(
    'GET /v1/detectors/{name}/quality',
    { params: { name: of.detector }, query: { from: of.from, to: of.to } },
    STILL,
  );
  const now = detector.data;
  const rate = (value: number | null | undefined) => (value === null || value === undefined ? '–' : countText(value));
  const rows: Row[] = [
    { name: 'Alerts', tried: countText(of.findings), now: quality.data ? countText(quality.data.alerts) : '…' },
    {
      name: 'Alerts per 10,000 events',
      tried: rate(of.alerts_per_10000_events),
      now: quality.data ? rate(quality.data.alerts_per_10000_events) : '…',
    },
    ...Object.entries(of.params).map(([name, value]) => ({
      name: nameOf(name, now?.params_schema),
      tried: shownValue(name, value),
      now: now ? shownValue(name, now.params[name]) : '…',
    })),
  ];
  return (
    <Section title="Comparison with current settings">
      <Table caption="Back-test and current settings" columns={compared} rows={rows} idOf={({ name }) => name} />
      <p class="quiet after-table">
        Current alerts were raised from {timeText(of.from)} to {timeText(of.to)}, with the settings and minimum severity
        at that time. A back-test has no minimum severity.
      </p>
    </Section>
  );
}

type Row = { name: string; tried: string; now: string };

const compared: Column<Row>[] = [
  { name: 'Measure', show: ({ name }) => name },
  {
    name: 'This back-test',
    show: ({ tried, now }) => (tried === now ? tried : <strong>{tried}</strong>),
    align: 'end',
  },
  { name: 'Current settings', show: ({ now }) => now, align: 'end' },
];

const idOf = ({ event_id, subject }: BacktestFinding) => `${event_id} ${subject}`;

const columns: Column<BacktestFinding>[] = [
  ...findingColumns,
  { name: 'Score', show: ({ score }) => countText(score), align: 'end', from: 'middle' },
  { name: 'Occurrences', show: ({ hits }) => countText(hits), align: 'end', from: 'middle' },
];
