import { noVerdict, type Verdict } from '#shared/assessment/verdict.ts';
import { emptyRange } from '#test/worlds/empty_range.ts';
import { judgeRange } from '#shared/detection/consumer/judge_range.ts';
import type { DetectionEvent } from '#shared/events/log/payment.ts';
import { ALERT_BUDGET } from '#shared/detection/settings/alert_budget.ts';
import { noSpreads } from '#shared/detection/model/spreads.ts';
import type { Params } from '#shared/detection/model/detector.ts';
import { detectors } from '#shared/detection/detectors/index.ts';
import { withDefaults } from '#shared/detection/settings/detector_settings.ts';
import { HOUR, MINUTE, SECOND } from '#shared/values/time.ts';

/** A Friday at noon: the time that tests of detectors count from. */
export const noon = Date.parse('2026-11-20T12:00:00.000Z');
export { HOUR, MINUTE, SECOND };

export type EventStep = Partial<Omit<DetectionEvent, 'usd_micro' | 'occurred_at'>> & {
  at: number;
  usd?: number | null;
};

/** Events of one agent, told by what matters: when (`at`), how many dollars (`usd`; null: nobody knows), to whom. */
export function events(steps: EventStep[]): DetectionEvent[] {
  return steps.map(({ at, usd = 10, ...step }, index) => ({
    chain_seq: index + 1,
    id: `evt_${index + 1}`,
    type: 'payment.settled',
    received_at: at,
    source_id: 'src_1',
    agent_id: 'agt_1',
    owner_id: 'own_1',
    rail: 'card',
    payee_id: 'pye_1',
    payment_id: `pay_${index + 1}`,
    price_key: String(usd),
    resource_key: null,
    tool_key: null,
    tool_call_key: null,
    attempt: null,
    currency: null,
    payee_country: null,
    payee_name_key: null,
    domain_key: null,
    occurred_at: at,
    usd_micro: usd === null ? null : BigInt(Math.round(usd * 1_000_000)),
    ...step,
  }));
}

/** Parameters beside the defaults, keys of payees by their id, the verdict that every event has, the category of all merchants, and the type of all payees. */
type Played = {
  params?: Params;
  keys?: Record<string, string>;
  names?: Record<string, string>;
  verdict?: Verdict;
  byBudget?: boolean;
  category?: string;
  type?: string;
};

/**
 * Takes events through detection, all detectors or one, as where somebody has set their parameters or, `byBudget`, as where nobody has. Answers
 * with the findings, in order.
 */
export function play(
  steps: EventStep[],
  only?: string,
  { params = {}, keys = {}, names = {}, verdict = noVerdict, byBudget = false, category, type }: Played = {},
) {
  const list = events(steps);
  const asked = detectors.filter(detector => only === undefined || detector.name === only).map(withDefaults);
  const active = asked.map(each => ({ ...each, is_set: !byBudget, params: { ...each.params, ...params } }));
  const range = emptyRange(
    list,
    id => ({ key: keys[id] ?? `merchant:test:${id}`, name: names[id] ?? null, type: type ?? null }),
    () => category ?? null,
  );
  const { findings: found, failures } = judgeRange(list, range, () => verdict, active, {
    budget: ALERT_BUDGET,
    spreads: noSpreads(),
  });
  if (failures.length > 0) throw new Error(`a detector threw: ${JSON.stringify(failures)}`);
  return found.map(({ detector, event, finding }) => ({ detector, seq: event.chain_seq, ...finding }));
}

/** `count` steps, `gap` milliseconds apart, from `start` on. */
export const every = (gap: number, count: number, start: number, step: Partial<EventStep> = {}): EventStep[] =>
  Array.from({ length: count }, (_, index) => ({ at: start + index * gap, ...step }));
