import { type Costs, measured, parts } from './costs.ts';
import { capacityOf, serversOf, splitsOf, usual } from './model.ts';

const SIZES = [1e6, 1e7, 1e8, 1e9, 1e10];

/** The tables of the manual: what each size takes, and where each part is full. */
export function capacityTable(costs: Costs = measured): string {
  const rows = SIZES.map(events_a_day => {
    const needed = capacityOf({ ...usual, events_a_day }, costs);
    const { by_speed, by_disk } = serversOf(needed);
    return [
      short(events_a_day),
      short(needed.peak),
      ...parts.map(part => cores(needed.cores[part])),
      String(needed.connections),
      `${short(needed.wal)}B/s`,
      `${short(needed.network)}B/s`,
      `${short(needed.disk)}B`,
      `${by_speed} / ${by_disk}`,
    ];
  });
  const header = ['events a day', 'a second at the peak', ...parts.map(part => `\`${part}\``), 'connections'];
  const sizes = table([...header, 'WAL', 'network', 'disk of a year', 'servers by speed / by that disk'], rows);
  const splits = splitsOf(usual, costs).map(({ full, events_a_day, next }) => [full, short(events_a_day), next]);
  return `${sizes.replace('`postgres`', 'PostgreSQL')}\n\n${table(['full', 'from so many events a day', 'then'], splits)}`;
}

const cores = (value: number) =>
  value < 0.1 ? '< 0.1' : value < 10 ? value.toFixed(1) : Math.round(value).toLocaleString('en');

const UNITS = ['', 'k', 'M', 'G', 'T', 'P'];

/** Two digits and a unit: 3,472 as `3.5 k`. */
export function short(value: number): string {
  const rounded = Number(value.toPrecision(2));
  const step = Math.min(UNITS.length - 1, Math.max(0, Math.floor(Math.log10(rounded) / 3)));
  return `${Number((rounded / 1_000 ** step).toPrecision(2))} ${UNITS[step]}`.trimEnd();
}

const table = (header: readonly string[], rows: readonly (readonly string[])[]): string =>
  [header, header.map(() => '---'), ...rows]
    .map(cells => `| ${cells.join(' | ')} |`.replaceAll('| --- ', '|---').replace('|--- |', '|---|'))
    .join('\n');
