import { setImmediate } from 'node:timers/promises';
import type { Verdict } from '#shared/assessment/verdict.ts';
import { type Baseline, baselineAt } from '#shared/detection/model/baseline.ts';
import { type History, MOST_NEW_PAYEES, remember } from '#shared/detection/model/history.ts';
import { type ActivityChange, activityChanges, applyChange } from '#shared/detection/model/hours.ts';
import { isHeld } from '#shared/detection/model/late.ts';
import { type Minutes, minutesBetween } from '#shared/detection/model/minutes.ts';
import type { LateEvents } from '#shared/events/ranges/backfills.ts';
import { paymentKey } from '#shared/events/ranges/load.ts';
import type { LoadedRange } from '#shared/detection/load/load_range.ts';
import { addIdentities, addStart, type Firsts, type NewPair, type PayeeState } from '#shared/detection/model/payees.ts';
import { isWorthACurrency, withCurrency } from '#shared/detection/model/currencies_paid.ts';
import { withPayer } from '#shared/detection/model/payers.ts';
import {
  beginsSpending,
  counts,
  type DetectionEvent,
  isPaid,
  type Payment,
  withEvent,
} from '#shared/events/log/payment.ts';
import { type Conduct, asksOfActive, isByRarity, judgeConduct } from '#shared/detection/conduct/judge_conduct.ts';
import { noLessons, withLessons } from '#shared/detection/conduct/lessons.ts';
import { type Look, lookOf } from '#shared/detection/conduct/look.ts';
import type { Context, Detector, EventFinding } from '#shared/detection/model/detector.ts';
import type { Active } from '#shared/detection/settings/detector_settings.ts';
import { HOUR } from '#shared/values/time.ts';
import { type LaterReport, laterReport } from './tell_later.ts';

/** An event of which a detector could make nothing: it threw. */
export type Failure = { chain_seq: number; detector: string };

/** Some 20 ms of work on a slow processor. */
const EVENTS_A_TURN = 200;

/** The results of a range, ready to be written. */
export type RangeResult = Firsts & {
  findings: EventFinding[];
  failures: Failure[];
  changes: Map<string, ActivityChange[]>;
  /** Reports that take the ground from alerts, see `tellLater`. */
  later: LaterReport[];
  /** By agent, the events that were late. */
  late: Map<string, LateEvents>;
};

/** What a range is judged by; see `Conduct`. */
type Measures = Pick<Conduct, 'budget' | 'spreads'> &
  Partial<Pick<Conduct, 'lessons' | 'told'>> & {
    /**
     * By agent, how many late events there were before the range, see `isHeld`: of more than a few the conduct is judged once all have come, and
     * only what tells of a payment alone is told now. Without it all are judged as they come.
     */
    late?: ReadonlyMap<string, number>;
    /** What is made of an event; without it all are lessons. */
    roleOf?: (event: DetectionEvent) => Role;
  };

/** An event is only part of its agent's record; or it is judged by that; or what is usual in the organization is learned from it, too. */
export type Role = 'record' | 'judged' | 'lesson';

type RangeParts = readonly [
  events: readonly DetectionEvent[],
  range: LoadedRange,
  verdictOf: (event: DetectionEvent) => Verdict,
  active: readonly Active<Detector>[],
  measures: Measures,
];

/**
 * Goes through a range in the order of the log: each event becomes part of its agent's history, then every detector is asked.
 * A detector that throws is noted and does not keep the others, or the events that follow, from being judged. Changes the histories.
 */
export function judgeRange(...parts: RangeParts): RangeResult {
  const { judged, judge } = createJudge(parts);
  for (const event of parts[0]) judge(event);
  return judged;
}

/** As `judgeRange`, but lets others of this process have their turn meanwhile. */
export async function judgeRangeInTurns(...parts: RangeParts): Promise<RangeResult> {
  const { judged, judge } = createJudge(parts);
  for (const [index, event] of parts[0].entries()) {
    if (index % EVENTS_A_TURN === EVENTS_A_TURN - 1) await setImmediate();
    judge(event);
  }
  return judged;
}

function createJudge([, range, verdictOf, active, measures]: RangeParts) {
  const { budget, spreads, lessons = noLessons, told = new Map(), late, roleOf } = measures;
  const judged: RangeResult = {
    findings: [],
    failures: [],
    changes: new Map(),
    new_pairs: [],
    new_countries: [],
    new_identities: [],
    new_payers: new Map(),
    later: [],
    late: new Map(),
  };
  const alone = active.filter(({ detector }) => detector.of_payment_alone);
  const in_shadow = new Set(active.filter(({ setting }) => setting.shadow).map(({ detector }) => detector.name));
  const floors = new Map(active.map(({ detector, setting }) => [detector.name, setting.severity_floor]));
  const conduct = { asks: asksOfActive(active), budget, spreads, lessons, in_shadow, floors, told };
  // What is not learned from changes a copy.
  const unlearned = roleOf ? { ...conduct, spreads: structuredClone(spreads) } : conduct;
  const judge = (event: DetectionEvent) => {
    const state = stateOf(event, range);
    const is_held = late !== undefined && isHeld(event, state.history, late, judged.late);
    const role = roleOf?.(event) ?? 'lesson';
    const measured = role === 'lesson' ? conduct : unlearned;
    const known = contextOf(event, state, range, judged);
    const context = { ...known, spreads: measured.spreads, verdict: verdictOf(event) };
    if (role !== 'record') judgeAll(event, context, is_held, measured);
    // The payee is remembered only after the event was compared with the earlier ones.
    if (isPaying(event, context.payment)) rememberPayee(event, context, state, range, judged);
  };
  const judgeAll = (event: DetectionEvent, context: Context, is_held: boolean, measured: Conduct) => {
    const candidates: Look[] = [];
    const before = judged.findings.length;
    for (const each of is_held ? alone : active) {
      try {
        judgeEvent(event, context, each, judged.findings, candidates);
      } catch {
        judged.failures.push({ chain_seq: event.chain_seq, detector: each.detector.name });
      }
    }
    for (let at = before; at < judged.findings.length; at += 1) {
      const found = judged.findings[at];
      if (found) judged.findings[at] = withLessons(found, event, lessons);
    }
    try {
      for (const result of is_held ? [] : judgeConduct(event, context, candidates, measured))
        judged.findings.push({ ...result, event });
    } catch {
      judged.failures.push({ chain_seq: event.chain_seq, detector: 'conduct' });
    }
  };
  return { judged, judge };
}

/**
 * Adds what a detector says of an event to `findings`. One that judges by rarity only says what is wrong whoever does it; what it finds rare is
 * added to `candidates`. Of an event with nothing to tell, which nearly all are, nothing is allocated.
 */
function judgeEvent(
  event: DetectionEvent,
  context: Context,
  active: Active<Detector>,
  findings: EventFinding[],
  candidates: Look[],
): void {
  const { detector, params } = active;
  const wrong = detector.wrong?.(event, context, params);
  if (wrong) {
    findings.push({ detector: detector.name, event, finding: wrong });
    return;
  }
  const rarity = isByRarity(active) ? detector.behavioral?.rarity : null;
  if (rarity === undefined) return;
  const found = detector.judge(event, context, params);
  if (found === null) return;
  for (const finding of Array.isArray(found) ? found : [found]) {
    if (rarity) candidates.push(lookOf(detector, finding, context, rarity(event, context)));
    else findings.push({ detector: detector.name, event, finding });
  }
}

type State = { history: History; payee: PayeeState };

function stateOf({ agent_id, payee_id }: DetectionEvent, { histories, payees }: LoadedRange): State {
  const history = histories.get(agent_id);
  const payee = payees.states.get(payee_id);
  if (!history || !payee) throw new Error('the history of an agent, or a payee, was not loaded');
  return { history, payee };
}

const isPaying = ({ type }: DetectionEvent, payment: Payment) => counts(type) && isPaid(payment);

/** What detectors are shown with an event, once it is part of its agent's history. Notes what that changes. */
function contextOf(
  event: DetectionEvent,
  { history, payee }: State,
  { outside, reports, purposes, endpoints, names, elsewhere, as_it_happened }: LoadedRange,
  { changes, new_pairs, later }: RangeResult,
): Omit<Context, 'verdict' | 'spreads'> {
  const { agent_id, occurred_at, chain_seq } = event;
  const { former, payment } = addToPayment(event, history, outside);
  const report = laterReport(event, former, payment);
  if (report) later.push(report);
  changes.set(agent_id, changes.get(agent_id) ?? []);
  for (const change of activityChanges(former, payment, history)) {
    applyChange(history, change);
    changes.get(agent_id)?.push(change);
  }
  const pair = isPaying(event, payment) ? addFirstPayment(event, history, payee) : null;
  if (pair) new_pairs.push(pair);
  return {
    payment,
    former,
    history,
    is_new_payee: pair !== null,
    baseline: () => baselineOf(history, occurred_at),
    between: (from, to) => minutesBetween(minutesOf(history), from, to),
    countries: history.countries,
    new_payees: history.new_payees ?? [],
    payee,
    purposes,
    endpointOf: ({ payment_id }) => endpoints.get(paymentKey({ agent_id, payment_id })),
    names,
    elsewhere: elsewhere.get(chain_seq) ?? null,
    reports: (reports.get(paymentKey(event)) ?? []).filter(report =>
      as_it_happened ? report.occurred_at <= occurred_at : report.chain_seq <= chain_seq,
    ),
  };
}

/** The payment before the event and with it, which is kept in the history, or in `outside` where it is too old for that. */
function addToPayment(event: DetectionEvent, history: History, outside: Map<string, Payment>) {
  const key = paymentKey(event);
  const former = history.by_id.get(event.payment_id) ?? outside.get(key);
  const payment = withEvent(former, event);
  outside.delete(key);
  const gone = remember(history, payment);
  // Its next event may come within this range.
  if (gone) outside.set(paymentKey({ agent_id: event.agent_id, payment_id: gone.payment_id }), gone);
  return { former, payment };
}

/** Notes the agent's first payment to the payee; null where an earlier one is known. */
function addFirstPayment(event: DetectionEvent, history: History, payee: PayeeState): NewPair | null {
  const { agent_id, payee_id, occurred_at, chain_seq } = event;
  const since = history.paid_payees.get(payee_id);
  if (since !== undefined && occurred_at >= since) return null;
  history.paid_payees.set(payee_id, occurred_at);
  addNewPayee(history, since, occurred_at);
  addStart(payee, { agent_id, at: occurred_at, seq: chain_seq });
  return { agent_id, payee_id, first_seen_at: occurred_at, first_seq: chain_seq, known: since !== undefined };
}

/** Puts the time of a first payment in its place; of a payee that was paid before, but later, in the place of that time. */
function addNewPayee({ new_payees }: History, since: number | undefined, at: number): void {
  if (!new_payees) return;
  const former = since === undefined ? -1 : new_payees.indexOf(since);
  if (former >= 0) new_payees.splice(former, 1);
  let place = new_payees.length;
  while (place > 0 && (new_payees[place - 1] ?? 0) > at) place -= 1;
  new_payees.splice(place, 0, at);
  if (new_payees.length > MOST_NEW_PAYEES) new_payees.shift();
}

/** Notes under what, in which country and currency, and how much a payee was paid. */
function rememberPayee(
  event: DetectionEvent,
  { former, payment }: Pick<Context, 'former' | 'payment'>,
  { history, payee }: State,
  { payees }: LoadedRange,
  { new_countries, new_identities, new_payers }: RangeResult,
): void {
  const { agent_id, payee_id, payee_country: country, occurred_at: first_seen_at, chain_seq: first_seq } = event;
  const payers = withPayer(payee.payers, agent_id, payment);
  const begins = beginsSpending(event.type, payment, former);
  const currencies = isWorthACurrency(payment)
    ? withCurrency(payee.currencies, agent_id, event.currency, begins)
    : payee.currencies;
  if (payers !== payee.payers || currencies !== payee.currencies) new_payers.set(payee_id, { payers, currencies });
  Object.assign(payee, { payers, currencies });
  new_identities.push(...addIdentities(event, payee, payees.waiting));
  if (country === null || history.countries.has(country)) return;
  history.countries.set(country, first_seq);
  new_countries.push({ agent_id, country, first_seen_at, first_seq });
}

/** The agent's baseline, computed once for the events of an hour. */
function baselineOf(history: History, time: number): Baseline {
  const hour = time - (time % HOUR);
  if (history.baseline?.hour !== hour) history.baseline = { hour, value: baselineAt(hour, hoursOf(history)) };
  return history.baseline.value;
}

function hoursOf({ hours }: History) {
  if (!hours) throw new Error('the hours of an agent were not loaded');
  return hours;
}

/** None are loaded for an agent that was not busy: what was paid longer than a day ago is told by the payments at hand. */
const minutesOf = ({ minutes }: History): Minutes => minutes ?? new Map();
