import type { DetectorRecord } from '#shared/detection/settings/detector_records.ts';
import { Badge } from '#api/dashboard/browser/parts/badge.tsx';
import { wordsOf } from '#api/dashboard/browser/parts/format.ts';
import { Loaded, Page, Section } from '#api/dashboard/browser/parts/page.tsx';
import { type Column, Table } from '#api/dashboard/browser/parts/table.tsx';
import { SLOW, useReading } from '#api/dashboard/browser/reading/use_reading.ts';
import { AlertBudgetPart } from './alert_budget.tsx';
import { BacktestTable } from './backtest_table.tsx';

const idOf = ({ name }: DetectorRecord) => name;

/** What is looked for, and how each detector is set. */
export function Detectors() {
  const reading = useReading('GET /v1/detectors', { query: { limit: 200 } });
  const backtests = useReading('GET /v1/backtests', { query: { limit: 20 } });
  const budget = useReading('GET /v1/alert-budget', {}, SLOW);
  return (
    <Page title="Detectors">
      <AlertBudgetPart />
      {/* What is above would push it down. */}
      {(budget.data || budget.problem) && (
        <>
          <Loaded reading={reading}>
            {({ data }) => <Table caption="Detectors" columns={columns} rows={data} idOf={idOf} />}
          </Loaded>
          <Section title="Back-tests">
            <Loaded reading={backtests}>
              {({ data }) =>
                data.length === 0 ? (
                  <p class="quiet">
                    None in the last 90 days. A back-test runs a detector on past events with other parameters. Open a
                    detector to run one.
                  </p>
                ) : (
                  <BacktestTable of={data} />
                )
              }
            </Loaded>
          </Section>
        </>
      )}
    </Page>
  );
}

const columns: Column<DetectorRecord>[] = [
  {
    name: 'Detector',
    show: ({ name, about }) => (
      <>
        <a href={`/detectors/${name}`}>{wordsOf(name)}</a>
        <small class="quiet under">{about}</small>
      </>
    ),
  },
  { name: 'Minimum severity', show: ({ severity_floor }) => wordsOf(severity_floor), from: 'middle' },
  {
    name: 'Parameters',
    show: detector => {
      const own = ownParameters(detector).length;
      const all = Object.keys(detector.defaults).length;
      if (all === 0) return <span class="quiet">None</span>;
      return own === 0 ? <span class="quiet">Default</span> : `${own} of ${all} customized`;
    },
    from: 'middle',
  },
  { name: 'State', show: detector => <DetectorState of={detector} /> },
];

export const DetectorState = ({ of: { enabled, shadow } }: { of: DetectorRecord }) => {
  if (!enabled) return <Badge of="disabled" label="Off" />;
  return shadow ? <Badge of="shadow" label="Shadow mode" /> : <Badge of="active" label="On" />;
};

/** The parameters that are not as by default. */
const ownParameters = ({ params, defaults }: DetectorRecord): string[] =>
  Object.keys(params).filter(name => JSON.stringify(params[name]) !== JSON.stringify(defaults[name]));
