import { noVerdict } from '#shared/assessment/verdict.ts';
import { joinEpisodes } from '#shared/detection/conduct/episodes.ts';
import { judgeRange } from '#shared/detection/consumer/judge_range.ts';
import { detectors } from '#shared/detection/detectors/index.ts';
import { noSpreads, type Spreads } from '#shared/detection/model/spreads.ts';
import { ALERT_BUDGET } from '#shared/detection/settings/alert_budget.ts';
import { withDefaults } from '#shared/detection/settings/detector_settings.ts';
import { events, type EventStep } from '#test/helpers/play.ts';
import { emptyRange } from '#test/worlds/empty_range.ts';

const behavioral = detectors.filter(detector => detector.behavioral);

type Judged = {
  budget?: number;
  set?: string;
  at_a_time?: number;
  as_sent?: boolean;
  keys?: Record<string, string>;
  resolved?: readonly string[];
  spreads?: Spreads;
};

/** What is told of the conduct in these payments; a detector that is `set` keeps to its parameters. `keys`: those of payees that are no merchants; `resolved`: payees of whose payments people resolved alerts as justified. */
export function conduct(
  steps: EventStep[],
  {
    budget = ALERT_BUDGET,
    set,
    at_a_time = Infinity,
    as_sent = false,
    keys = {},
    resolved = [],
    spreads = noSpreads(),
  }: Judged = {},
) {
  const list = events(as_sent ? steps : steps.toSorted((a, b) => a.at - b.at));
  const range = emptyRange(list, payee_id => ({ key: keys[payee_id] ?? `merchant:test:${payee_id}` }));
  const active = behavioral.map(each => ({ ...withDefaults(each), is_set: each.name === set }));
  const wrong = new Set(list.flatMap(each => (resolved.includes(each.payee_id) ? [each.payment_id] : [])));
  const closed = new Map([['agt_1', { resolved: wrong, dismissed: new Set<string>() }]]);
  const lessons = { by_agent: new Map(), by_owner: new Map(), open: new Map(), closed };
  const judging = { budget, spreads, ...(resolved.length > 0 && { lessons }) };
  const found = [];
  for (let from = 0; from < list.length; from += at_a_time) {
    const { findings, failures } = judgeRange(
      list.slice(from, from + at_a_time),
      range,
      () => noVerdict,
      active,
      judging,
    );
    if (failures.length > 0) throw new Error(JSON.stringify(failures));
    found.push(...findings);
  }
  return joinEpisodes(found, new Map(), () => false).map(({ detector, finding }) => ({ detector, ...finding }));
}
