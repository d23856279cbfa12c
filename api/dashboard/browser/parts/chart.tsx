import { useEffect, useRef, useState } from 'preact/hooks';
import { axisTime } from './format.ts';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';

/** One line of a chart: a value for each time. `color`: a variable of the style sheet. */
export type ChartSeries = { name: string; values: number[]; color: string; bars?: boolean };

const HEIGHT = 160;

/**
 * A chart over time, and the same numbers as a table for whoever does not see it. `times` in seconds; `show` for one value on the axis,
 * `exact` for one in the table and for what the pointer is at, where there is more room.
 */
export function Chart({
  title,
  times,
  series,
  show,
  exact = show,
  timeOf,
  total,
  compared,
}: {
  title: string;
  /** What all of it comes to, in large, and what to compare that with. */
  total?: string;
  compared?: string;
  times: number[];
  series: ChartSeries[];
  show: (value: number) => string;
  exact?: (value: number) => string;
  timeOf: (seconds: number) => string;
}) {
  const frame = useRef<HTMLDivElement>(null);
  const [pointedAt, pointAt] = useState<string | null>(null);
  const [asTable, setAsTable] = useState(false);
  const [scheme, setScheme] = useState(0);
  const isEmpty = series.every(({ values }) => values.every(value => value === 0));
  useEffect(() => {
    const dark = matchMedia('(prefers-color-scheme: dark)');
    const turned = () => setScheme(times => times + 1);
    dark.addEventListener('change', turned);
    return () => dark.removeEventListener('change', turned);
  }, []);
  const saidAt = (at: number) =>
    [
      timeOf(times[at] ?? 0),
      ...series.map(({ name, values }) => {
        const value = exact(values[at] ?? 0);
        return series.length > 1 ? `${name} ${value}` : value;
      }),
    ].join(' · ');
  useEffect(() => {
    const element = frame.current;
    if (!element) return;
    const plot = new uPlot(
      optionsOf(element, series, show, at => pointAt(at === null ? null : saidAt(at))),
      [times, ...series.map(({ values }) => values)],
      element,
    );
    const sized = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: HEIGHT }));
    sized.observe(element);
    return () => {
      sized.disconnect();
      plot.destroy();
    };
  }, [times, series, asTable, isEmpty, scheme]);
  return (
    <figure class="chart">
      <figcaption>
        <h2>{title}</h2>
        <button type="button" class="plain" aria-pressed={asTable} onClick={() => setAsTable(!asTable)}>
          {asTable ? 'Chart' : 'Table'}
        </button>
      </figcaption>
      {total !== undefined && <p class="total">{total}</p>}
      <p class="quiet compared">{pointedAt ?? compared}</p>
      {asTable ? (
        <div class="chart-table" tabIndex={0} role="region" aria-label={`${title}, as a table`}>
          <table>
            <caption class="unseen">{title}</caption>
            <thead>
              <tr>
                <th scope="col">Time</th>
                {series.map(({ name }) => (
                  <th key={name} scope="col" class="align-end">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {times.map((time, index) => (
                <tr key={time}>
                  <th scope="row">{timeOf(time)}</th>
                  {series.map(({ name, values }) => (
                    <td key={name} class="align-end">
                      {exact(values[index] ?? 0)}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      ) : isEmpty ? (
        <p class="plot quiet">None in this period</p>
      ) : (
        <div ref={frame} class="plot" role="img" aria-label={`${title}; the button Table shows the numbers`} />
      )}
    </figure>
  );
}

function optionsOf(
  element: HTMLElement,
  series: ChartSeries[],
  show: (value: number) => string,
  pointAt: (index: number | null) => void,
): uPlot.Options {
  const styles = getComputedStyle(element);
  // A canvas does not know light-dark(): the style sheet works out which of the two it is.
  const colorOf = (name: string) => {
    element.style.color = `var(${name})`;
    const color = styles.color;
    element.style.color = '';
    return color;
  };
  const axis = {
    stroke: colorOf('--quiet'),
    font: `11px ${styles.fontFamily}`,
    grid: { stroke: colorOf('--line'), width: 1 },
    ticks: { show: false },
  };
  return {
    width: element.clientWidth,
    height: HEIGHT,
    cursor: { y: false, points: { size: 6 } },
    legend: { show: false },
    hooks: { setCursor: [plot => pointAt(plot.cursor.idx ?? null)] },
    scales: { y: { range: (_plot, _least, most) => [0, Math.max(most * 1.1, 1)] } },
    axes: [
      { ...axis, values: (_plot, ticks) => ticks.map(axisTime), space: 64, size: 28 },
      { ...axis, size: 56, values: (_plot, ticks) => ticks.map(show) },
    ],
    series: [
      {},
      ...series.map(({ name, color, bars }) => ({
        label: name,
        stroke: colorOf(color),
        width: 2,
        points: { show: false },
        ...(bars && { fill: colorOf(color), paths: uPlot.paths.bars?.({ size: [0.7, 40] }) }),
      })),
    ],
  };
}
