import type { Backtest } from '#shared/detection/backtest/backtests.ts';
import { Badge } from '#api/dashboard/browser/parts/badge.tsx';
import { countText, dayText, percentText, wordsOf } from '#api/dashboard/browser/parts/format.ts';
import { type Column, Table } from '#api/dashboard/browser/parts/table.tsx';
import { Time } from '#api/dashboard/browser/parts/values.tsx';

/** Back-tests, newest first. */
export const BacktestTable = ({ of }: { of: Backtest[] }) => (
  <Table caption="Back-tests, newest first" columns={columns} rows={of} idOf={({ id }) => id} />
);

const columns: Column<Backtest>[] = [
  {
    name: 'Period',
    show: ({ id, from, to }) => (
      <a href={`/backtests/${id}`}>
        {dayText(from)} to {dayText(to)}
      </a>
    ),
  },
  {
    name: 'Detector',
    show: ({ detector }) => <a href={`/detectors/${detector}`}>{wordsOf(detector)}</a>,
    from: 'middle',
  },
  { name: 'Events', show: ({ events }) => countText(events), align: 'end', from: 'middle' },
  { name: 'Alerts', show: ({ findings }) => countText(findings), align: 'end' },
  {
    name: 'State',
    show: ({ state, progress }) => (
      <Badge of={state} {...(state === 'running' && { label: `Running, ${percentText(progress)}` })} />
    ),
  },
  { name: 'Created', show: ({ created_at }) => <Time at={created_at} ago />, from: 'wide' },
];
