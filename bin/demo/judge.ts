import { noVerdict, type Verdict } from '#shared/assessment/verdict.ts';
import { judgeRange } from '#shared/detection/judge_range.ts';
import type { DetectionEvent } from '#shared/detection/payment.ts';
import type { Detector } from '#shared/detectors/detector.ts';
import { severityOf } from '#shared/detectors/score.ts';
import type { EventType, Rail } from '#shared/event_types.ts';
import type { Rates } from '#shared/money.ts';
import type { EventInput } from '#shared/resources/events/event_input.ts';
import { type NormalizedEvent, normalizeEvent } from '#shared/resources/events/event_normalize.ts';
import { withDefaults } from '#shared/resources/alerts/detector_settings.ts';
import { fold } from '#shared/fold.ts';
import { emptyRange } from './empty_range.ts';
import { exchangeRates } from './rates.ts';
import type { RaisedAlert } from './score.ts';

/** An alert as it would be raised; `agent_id` is the client's id of the agent, and `explanation` tells why. */
export type JudgedAlert = RaisedAlert & { agent_id: string; explanation: string };

/**
 * Takes a world through the detectors without a database: the alerts that the service would hold in the end. For benchmarks and
 * tests of quality, where a run must take seconds. Without `verdictOf` (see `assessWorld`) nothing is verified or held against mandates.
 */
export function judgeWorld(
  inputs: readonly EventInput[],
  now: number,
  detectors: readonly Detector[],
  verdictOf: (event: { chain_seq: number }) => Verdict = () => noVerdict,
): JudgedAlert[] {
  const rates = ratesOf(now);
  const events = inputs.map((input, index) => {
    const checked = normalizeEvent(input, { now, max_age_days: 400, rates });
    if (!checked.ok) throw new Error(`event ${index} is not valid: ${JSON.stringify(checked.issues)}`);
    return detectionEvent(checked.event, index + 1);
  });
  const range = emptyRange(events, payee_id => payee_id);
  const { found, failures } = judgeRange(events, range, verdictOf, detectors.map(withDefaults));
  if (failures.length > 0) throw new Error(`a detector threw: ${JSON.stringify(failures[0])}`);
  const groups = Map.groupBy(found, ({ detector, event, finding }) =>
    [detector, event.agent_id, finding.subject].join(' '),
  );
  return [...groups.values()].flatMap(list => {
    const [first] = list;
    if (!first) return [];
    const worst = list.reduce((a, b) => (b.finding.score > a.finding.score ? b : a)).finding;
    const seqs = new Set([...worst.seqs, ...list.map(({ event }) => event.chain_seq)]);
    const newest = [...seqs].toSorted((a, b) => b - a).slice(0, MOST_EVENTS);
    return [
      {
        detector: first.detector,
        agent_id: first.event.agent_id,
        severity: severityOf(worst.score),
        score: worst.score,
        title: worst.title,
        explanation: worst.explanation,
        event_ids: newest.flatMap(seq => events[seq - 1]?.id ?? []),
      },
    ];
  });
}

/** How many events an alert names. */
const MOST_EVENTS = 100;

/** The rates of a world as the service would look them up. */
export function ratesOf(now: number): Rates {
  const table = new Map(exchangeRates(now).map(rate => [`${rate.currency} ${rate.date}`, rate.usd_per_unit]));
  return { rateFor: (currency, date) => table.get(`${currency} ${date}`) ?? null };
}

/** As the log would keep it. Keys are only ever compared, so they need not be the hashes the log has. */
function detectionEvent(event: NormalizedEvent, chain_seq: number): DetectionEvent {
  const occurred_at = Date.parse(event.occurred_at);
  return {
    chain_seq,
    id: event.id,
    type: event.type as EventType,
    occurred_at,
    received_at: occurred_at,
    source_id: 'src_demo',
    agent_id: 'external_id' in event.agent ? event.agent.external_id : event.agent.id,
    owner_id: '',
    payee_id: event.payee.key,
    rail: event.rail as Rail,
    payment_id: event.payment_id,
    usd_micro: event.usd_micro === null ? null : BigInt(event.usd_micro),
    price_key: `${event.amount_value} ${event.amount_denomination}`,
    resource_key: event.resource_url,
    tool_key: event.tool_name,
    tool_call_key: event.tool_call_id,
    attempt: event.attempt,
    payee_country: event.payee.country,
    payee_name_key: event.payee.name && fold(event.payee.name),
    domain_key: event.resource_url === null ? null : (URL.parse(event.resource_url)?.hostname ?? null),
  };
}
