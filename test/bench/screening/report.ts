import { bestOf, ratesAt, type Scored, share, thresholdFor, thresholds } from './rates.ts';
import type { Searched } from './queries.ts';

const percent = (value: number) => value.toFixed(3);
const goal = (value: number, least: number) => (value >= least ? 'reached' : 'MISSED');

/** Rows of a table with a heading, columns as wide as they need be. */
export function table(heading: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = heading.map((title, at) => Math.max(title.length, ...rows.map(row => row[at]?.length ?? 0)));
  const line = (cells: readonly string[]) =>
    `  ${cells.map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0))).join('  ')}`;
  return [line(heading), ...rows.map(line)].join('\n');
}

/** Pairs: what is told of them at each threshold, beside the rival. */
export function pairReport(
  ours: readonly Scored[],
  rival: readonly Scored[],
): { text: string; best: number; rival: number } {
  const strong = (scored: readonly Scored[]) => scored.filter(({ weak }) => !weak);
  const row = (name: string, { precision, recall, f1 }: ReturnType<typeof ratesAt>) => [
    name,
    percent(precision),
    percent(recall),
    percent(f1),
  ];
  const best = bestOf(strong(ours));
  const other = bestOf(strong(rival));
  const rows = [
    ...thresholds.map(threshold => row(`at ${threshold.toFixed(2)}`, ratesAt(strong(ours), threshold))),
    row(`best, at ${best.threshold.toFixed(3)}`, best),
    row(`Jaro-Winkler on sorted words, best, at ${other.threshold.toFixed(3)}`, other),
  ];
  return { text: table(['pairs', 'precision', 'recall', 'F1'], rows), best: best.f1, rival: other.f1 };
}

/** Low enough to choose a threshold by; what stands behind each is then asked with it. */
const LOWEST = 0.6;
/** The threshold that an organization begins with. */
const STANDARD = 0.85;

/** Lists: how many are found at how many false alarms, beside the rival. */
export function listReport(
  askedAt: (threshold: number) => readonly Searched[],
  rival: readonly Searched[],
): { text: string; figures: string[] } {
  const recallOf = (searched: readonly Searched[], most: number) => {
    const threshold = thresholdFor(negatives(searched), most);
    return { threshold, recall: recallAt(searched, threshold) };
  };
  const row = (name: string, threshold: number, searched: readonly Searched[]) => [
    name,
    threshold.toFixed(3),
    percent(recallAt(searched, threshold)),
    percent(falseAt(searched, threshold)),
  ];
  const all = askedAt(LOWEST);
  const chosen = (most: number) => {
    const { threshold } = recallOf(all, most);
    const searched = askedAt(threshold);
    return { threshold, searched, recall: recallAt(searched, threshold) };
  };
  const one = chosen(0.01);
  const five = chosen(0.05);
  const rows = [
    row('at most 1 % false alarms', one.threshold, one.searched),
    row('at most 5 % false alarms', five.threshold, five.searched),
    ...thresholds.map(threshold => row(`at ${threshold.toFixed(2)}`, threshold, askedAt(threshold))),
    row('Jaro-Winkler, at most 1 %', recallOf(rival, 0.01).threshold, rival),
    row('Jaro-Winkler, at most 5 %', recallOf(rival, 0.05).threshold, rival),
  ];
  const standard = askedAt(STANDARD);
  return {
    text: table(['lists', 'threshold', 'recall', 'false alarms'], rows),
    figures: [
      figure('recall at most 1 % false alarms', one.recall, 0.98, recallOf(rival, 0.01).recall),
      figure('recall at most 5 % false alarms', five.recall, 0.99, recallOf(rival, 0.05).recall),
      figure(`recall at ${STANDARD}`, recallAt(standard, STANDARD), 0.975, recallAt(rival, STANDARD)),
      limit(
        `false alarms at ${STANDARD}, percent`,
        100 * falseAt(standard, STANDARD),
        1,
        '%',
        100 * falseAt(rival, STANDARD),
      ),
    ],
  };
}

const isStrong = ({ case: { weak } }: Searched) => !weak;
const negatives = (searched: readonly Searched[]) =>
  searched.filter(each => isStrong(each) && each.case.expect === null).map(({ top }) => top);
const recallAt = (searched: readonly Searched[], threshold: number) => {
  const positives = searched.filter(each => isStrong(each) && each.case.expect !== null);
  return positives.filter(({ hit }) => hit >= threshold).length / (positives.length || 1);
};
const falseAt = (searched: readonly Searched[], threshold: number) => {
  const tops = negatives(searched);
  return tops.filter(top => top >= threshold).length / (tops.length || 1);
};

/** Category by category how many are answered rightly at the default threshold; debatable ones are marked. */
export function categoryReport(scored: readonly Scored[], threshold: number): string {
  const groups = Map.groupBy(
    scored,
    ({ category, positive, weak }) => `${category} ${positive ? 'match' : 'no match'}${weak ? ', debatable' : ''}`,
  );
  const rows = [...groups]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, list]) => {
      const right = list.filter(({ score, positive }) => score >= threshold === positive).length;
      return [name, String(list.length), share(right, list.length)];
    });
  return table([`right at ${threshold}`, 'cases', 'share'], rows);
}

/** One figure beside its goal and the rival's. */
export const figure = (name: string, value: number, least: number, rival?: number): string =>
  `  ${name.padEnd(58)} ${value.toFixed(3).padStart(10)}   goal ≥ ${least}: ${goal(value, least)}${besides(rival, 3)}`;

/** What the rival of the same run has. */
const besides = (rival: number | undefined, digits: number) =>
  rival === undefined ? '' : `, Jaro-Winkler ${rival.toFixed(digits)}`;

/** One figure that must not be higher than its limit. */
export const limit = (name: string, value: number, most: number, unit: string, rival?: number): string =>
  `  ${name.padEnd(58)} ${value.toFixed(value < 10 ? 2 : 0).padStart(10)}   limit ${most} ${unit}: ${value <= most ? 'kept' : 'MISSED'}${besides(rival, 1)}`;
