import type { Db } from '#shared/platform/db.ts';
import { firstFrom, type History, MOST_PAYMENTS } from '#shared/detection/model/history.ts';
import type { DetectionCache } from './detection_cache.ts';
import { BASELINE_LENGTH } from '#shared/detection/model/baseline.ts';
import { forgetOldActivity } from '#shared/detection/model/hours.ts';
import {
  HOURS_BEFORE,
  type HoursReader,
  loadHours,
  loadMinutes,
  MINUTES_AFTER,
  MINUTES_BEFORE,
} from './load_activity.ts';
import { loadPaidPairs, loadPayments } from '#shared/events/ranges/load.ts';
import { loadCountries, loadNewPayees, loadPaidPersons } from './load_firsts.ts';
import { loadReports } from './load_contradictions.ts';
import { loadPayees } from './load_payees.ts';
import type { Payees } from '#shared/detection/model/payees.ts';
import { counts, type DetectionEvent, type Payment } from '#shared/events/log/payment.ts';
import { loadHistories } from './load_histories.ts';
import type { Needs } from '#shared/detection/model/needs.ts';
import type { PaymentReport } from '#shared/detection/model/detector.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { DAY, HOUR, MINUTE } from '#shared/values/time.ts';

/** What the detectors need to know of the past to judge a range: a few queries, however many events it has. */
export type LoadedRange = {
  histories: Map<string, History>;
  /** Payments of the range that are older than what their agent's history holds. */
  outside: Map<string, Payment>;
  payees: Payees;
  /** Everything reported of payments whose reports contradict each other, by `paymentKey`. */
  reports: Map<string, PaymentReport[]>;
};

/** Clocks of clients may be this far ahead, so an event can have occurred so long after it arrived. */
const MOST_AHEAD = 5 * MINUTE;
/** Beyond this many an agent's known payees are looked up again instead of being remembered. */
const MOST_PAYEES = 5_000;

/**
 * Loads what is not in the cache, as it was at `cursor`: histories, payments too old for them, known payees and countries, hours where they
 * may matter, and what is known of the payees. `needs` are those of the detectors that will judge: see needs.ts.
 * `readHours` is another for who goes through the past again: the stored hours are as they are now.
 */
export async function loadRange(
  db: Db,
  tenant: Tenant,
  events: readonly DetectionEvent[],
  cursor: number,
  { histories: cache, payees: payeeCache }: DetectionCache,
  needs: Needs,
  readHours: HoursReader = loadHours,
): Promise<LoadedRange> {
  const byAgent = Map.groupBy(events, event => event.agent_id);
  const histories = new Map<string, History>();
  for (const agent_id of byAgent.keys()) {
    const known = cache.get(tenant, agent_id);
    if (known) histories.set(agent_id, known);
  }
  const missing = [...byAgent.keys()].filter(agent_id => !histories.has(agent_id));
  const newest = (events[0]?.received_at ?? 0) + MOST_AHEAD;
  for (const [agent_id, history] of await loadHistories(db, tenant, missing, cursor, newest))
    histories.set(agent_id, history);
  await loadCountries(db, tenant, missing, histories, cursor);

  const unseen = events
    .filter(event => !histories.get(event.agent_id)?.by_id.has(event.payment_id))
    .map(event => event.payment_id);
  const outside = await loadPayments(db, tenant, [...new Set(unseen)], cursor);
  await addPaidPayees(db, tenant, events, histories, cursor);
  await addActivity(db, tenant, byAgent, histories, { cursor, needs, readHours });
  const payees = await loadPayees(db, tenant, events, cursor, payeeCache);
  await loadPaidPersons(db, tenant, events, histories, payees.states, cursor);
  const reports = await loadReports(db, tenant, events, histories, outside);
  for (const [agent_id, history] of histories) cache.set(tenant, agent_id, history);
  return { histories, outside, payees, reports };
}

async function addPaidPayees(
  db: Db,
  tenant: Tenant,
  events: readonly DetectionEvent[],
  histories: Map<string, History>,
  cursor: number,
): Promise<void> {
  const pairs = new Map<string, { agent_id: string; payee_id: string }>();
  for (const { type, agent_id, payee_id } of events) {
    const paid = histories.get(agent_id)?.paid_payees;
    if (paid && paid.size > MOST_PAYEES) paid.clear();
    if (counts(type) && !paid?.has(payee_id)) pairs.set(`${agent_id} ${payee_id}`, { agent_id, payee_id });
  }
  if (pairs.size > 0)
    for (const { agent_id, payee_id, first_seen_at } of await loadPaidPairs(db, tenant, [...pairs.values()], cursor))
      histories.get(agent_id)?.paid_payees.set(payee_id, first_seen_at);
  // A payment that was made before the one known as the first, and comes later, is the first now.
  const firsts = events.filter(
    ({ type, agent_id, payee_id, occurred_at }) =>
      counts(type) && occurred_at < (histories.get(agent_id)?.paid_payees.get(payee_id) ?? Infinity),
  );
  await loadNewPayees(db, tenant, firsts, histories, cursor);
}

/**
 * An agent's hours, and minutes, are loaded once it has done, or may do within this range, what they are asked for; and again for an event
 * that is later than they reach back.
 */
async function addActivity(
  db: Db,
  tenant: Tenant,
  byAgent: Map<string, DetectionEvent[]>,
  histories: Map<string, History>,
  { cursor, needs, readHours }: { cursor: number; needs: Needs; readHours: HoursReader },
): Promise<void> {
  const entries = [...byAgent].flatMap(([agent_id, events]) => {
    const history = histories.get(agent_id);
    const times = events.map(event => event.occurred_at);
    if (history) forgetOldActivity(history);
    return history ? [{ agent_id, history, events, earliest: Math.min(...times), latest: Math.max(...times) }] : [];
  });
  const forHours = entries.filter(
    ({ history, events, earliest }) =>
      !(history.hours && history.hours_from <= earliest - BASELINE_LENGTH - HOUR) &&
      mayNeedBaseline(history, events, earliest, needs),
  );
  if (forHours.length > 0) {
    const hours = await readHours(db, tenant, forHours, cursor);
    for (const { agent_id, history, earliest } of forHours) {
      history.hours = hours.get(agent_id) ?? [];
      history.hours_from = earliest - HOURS_BEFORE;
      history.baseline = null;
    }
  }
  const forMinutes = entries.filter(
    entry => !hasMinutes(entry) && mayNeedMinutes(entry.history, entry.events, entry.earliest),
  );
  if (forMinutes.length > 0) {
    const minutes = await loadMinutes(db, tenant, forMinutes, cursor);
    for (const { agent_id, history, earliest, latest } of forMinutes) {
      history.minutes = minutes.get(agent_id) ?? new Map();
      const to = latest + MINUTES_AFTER;
      // Up to where it has done anything, they are kept up with every event from now on.
      const newest = Math.max(-Infinity, ...history.payments.map(payment => payment.latest_at));
      history.minutes_within = { from: earliest - MINUTES_BEFORE, to: to >= newest ? Infinity : to };
    }
  }
}

type Entry = { history: History; earliest: number; latest: number };

/** Whether all windows of a day that hold one of these events are in the minutes at hand. */
const hasMinutes = ({ history: { minutes, minutes_within }, earliest, latest }: Entry) =>
  minutes !== null && minutes_within.from <= earliest - DAY - HOUR && minutes_within.to >= latest + MINUTES_AFTER;

/** True whenever a detector could ask for the baseline while it judges these events: counts and sums here are upper bounds of theirs. */
function mayNeedBaseline(history: History, events: DetectionEvent[], earliest: number, needs: Needs): boolean {
  const { payments } = history;
  const since = (length: number) => payments.length - firstFrom(payments, earliest - length) + events.length;
  if (since(MINUTE) >= needs.per_minute || since(HOUR) >= needs.per_hour) return true;
  const spent = events.reduce((sum, event) => sum + (event.usd_micro ?? 0n), history.spend_micro);
  return spent > needs.spend_micro || mayNeedMinutes(history, events, earliest);
}

/** True whenever a window of a day could reach back further than the payments at hand, now or after some of these events. */
function mayNeedMinutes({ payments, complete_from }: History, events: DetectionEvent[], earliest: number): boolean {
  const from = earliest - DAY - HOUR;
  if (complete_from > from) return true;
  const fallOut = payments.length + events.length - MOST_PAYMENTS;
  // What falls out last started no later than this one.
  return fallOut > 0 && (payments[fallOut - 1]?.started_at ?? Infinity) >= from;
}
