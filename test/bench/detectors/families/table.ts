import { formatDuration } from '#shared/values/time.ts';
import { type Estimate, rateOf, shareOf } from './intervals.ts';
import { atBudget, type RivalTally } from './rivals.ts';
import { sumOfTallies, type Tally } from './tally.ts';

type Shown = { title: string; worlds: number; budgets: Map<number, Tally[]>; rivals: RivalTally[]; seconds: number };

/** What the worlds of a phase came to, for a person: calibration, rivals, and then where it comes from, at the first budget. */
export function familiesReport({ title, worlds, budgets, rivals, seconds }: Shown, why: boolean): string {
  const sums = [...budgets].map(([budget, list]) => ({ budget, sum: sumOfTallies(list) }));
  const [first] = sums;
  if (!first) return '';
  const { sum } = first;
  const months = sum.agents.reduce((total, agent) => total + agent.months, 0);
  return [
    '',
    `  ${title}: ${worlds} worlds, ${sum.agents.length} agents, ${months.toFixed(0)} agent-months, ` +
      `${sum.events.toLocaleString('en-US')} events; ${seconds.toFixed(0)} s`,
    '',
    row('', 'budget', 'realized', '95 %', 'times', 'incidents', 'in 10,000', 'strong', 'weak', 'told after'),
    ...sums.map(({ budget, sum: each }) => budgetRow(budget, each)),
    ...[...Map.groupBy(rivals, ({ rival }) => rival)].flatMap(([name, list]) =>
      rivalBudgets.map(budget => rivalRow(name, budget, list)),
    ),
    '',
    '  found, strong and weak, of those planted; with hard detectors where that is more',
    ...kindRows(sum),
    '',
    `  alerts per incident ${ratio(sum.alerts, sum.incidents)}; alerts that are consequences of what was planted: ${sum.aftermath}; ` +
      `false alarms if nobody ever closed one: ${sum.never_closed} (${ratio(sum.never_closed, months)} an agent-month)`,
    `  false alarms by detector: ${listOf(sum.by_detector)}`,
    `  by family, an agent-month: ${ratesBy(sum, ({ family }) => (family.includes('+') ? 'two families' : family))}`,
    `  by order of sending, an agent-month: ${ratesBy(sum, ({ order }) => order)}`,
    `  hard detectors, on what belongs to no label: ${listOf(sum.hard)}`,
    ...(why ? [...sum.alarms, ...sum.hard_alarms].map(alarmLine) : []),
    '',
  ].join('\n');
}

const rivalBudgets = [0.05, 0.1, 0.2, 0.5];

function budgetRow(budget: number, sum: Tally): string {
  const alarms = rateOf(sum.agents.map(({ alarms, months }) => ({ count: alarms, exposure: months })));
  const incidents = rateOf(sum.agents.map(({ incidents, months }) => ({ count: incidents, exposure: months })));
  const many = sum.agents.reduce((total, agent) => total + agent.alarms, 0);
  const delays = sum.found.flatMap(({ delay }) => delay ?? []).toSorted((a, b) => a - b);
  const median = delays[(delays.length - 1) >> 1];
  return row(
    'detectors',
    String(budget),
    alarms.value.toFixed(2),
    `${alarms.low.toFixed(2)}–${alarms.high.toFixed(2)}`,
    (alarms.value / budget).toFixed(1),
    incidents.value.toFixed(2),
    ((10_000 * many) / Math.max(1, sum.events)).toFixed(1),
    recall(sum, 'strong'),
    recall(sum, 'weak'),
    median === undefined ? '–' : median === 0 ? 'at once' : formatDuration(median),
  );
}

function rivalRow(name: string, budget: number, list: readonly RivalTally[]): string {
  const { strong, weak, realized } = atBudget(list, budget);
  return row(
    name,
    String(budget),
    realized.toFixed(2),
    'hindsight',
    '',
    '',
    '',
    shareText(shareOf(strong.found, strong.planted)),
    shareText(shareOf(weak.found, weak.planted)),
    '',
  );
}

function recall({ found }: Tally, strength: string): string {
  const list = found.filter(each => each.strength === strength);
  return shareText(shareOf(list.filter(each => each.found).length, list.length));
}

const shareText = ({ value, low, high }: Estimate) => `${value.toFixed(2)} (${low.toFixed(2)}–${high.toFixed(2)})`;

function kindRows({ found }: Tally): string[] {
  return [...Map.groupBy(found, ({ kind }) => kind)]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([kind, list]) => {
      const cells = ['strong', 'weak'].map(strength => {
        const own = list.filter(each => each.strength === strength);
        const count = own.filter(each => each.found).length;
        const any = own.filter(each => each.by_any).length;
        return `${count}/${own.length}${any > count ? ` (${any})` : ''}`;
      });
      return `  ${kind.padEnd(18)}${cells.map(cell => cell.padStart(12)).join('')}`;
    });
}

const listOf = (counts: ReadonlyMap<string, number>) =>
  [...counts]
    .toSorted(([, a], [, b]) => b - a)
    .map(([name, count]) => `${name} ${count}`)
    .join(', ') || 'none';

const ratesBy = ({ agents }: Tally, keyOf: (agent: Tally['agents'][number]) => string) =>
  [...Map.groupBy(agents, keyOf)]
    .map(([key, list]) => {
      const alarms = list.reduce((sum, agent) => sum + agent.alarms, 0);
      const months = list.reduce((sum, agent) => sum + agent.months, 0);
      return { key, rate: months === 0 ? 0 : alarms / months };
    })
    .toSorted((a, b) => b.rate - a.rate)
    .map(({ key, rate }) => `${key} ${rate.toFixed(2)}`)
    .join(', ');

const alarmLine = ({ detector, agent_id, hits }: Tally['alarms'][number]) =>
  `    ${detector} ${agent_id} (${hits.length}): ${hits[0]?.explanation ?? ''}`;

const ratio = (some: number, all: number) => (all === 0 ? '–' : (some / all).toFixed(2));

const widths = [8, 9, 12, 7, 10, 10, 18, 18, 11];
const row = (name: string, ...cells: string[]) =>
  `  ${name.padEnd(20)}${cells.map((cell, index) => cell.padStart(widths[index] ?? 8)).join('')}`.trimEnd();
