import type { Db } from '#shared/platform/db.ts';
import { BASELINE_LENGTH } from '#shared/detection/model/baseline.ts';
import { firstFrom, type History, LEAST_AT_HAND, MOST_PAYMENTS } from '#shared/detection/model/history.ts';
import { forgetOldHours } from '#shared/detection/model/hours.ts';
import { isMuch, keepMinutes, putMinutes } from '#shared/detection/model/minutes.ts';
import type { Needs } from '#shared/detection/model/needs.ts';
import { common, joined, missingOf, type Span } from '#shared/detection/model/spans.ts';
import type { DetectionEvent, Payment } from '#shared/events/log/payment.ts';
import { paymentKey } from '#shared/events/ranges/load.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { DAY, HOUR, MINUTE } from '#shared/values/time.ts';
import { HOURS_BEFORE, type HoursReader, loadMinutes, type WantedMinutes } from './load_activity.ts';

/**
 * An agent's part of a range: its history, its events, and around which times they are judged: when they occurred, and when the payments that they
 * are about were first paid, which may have been long before.
 */
type AgentPart = { agent_id: string; history: History; events: DetectionEvent[]; times: number[]; earliest: number };

/** `outside`: the payments of the range that are too old to be in the histories. */
type Loading = { cursor: number; needs: Needs; readHours: HoursReader; outside: ReadonlyMap<string, Payment> };

/**
 * Loads the hours and minutes of agents that reach, or may reach within this range, a threshold that needs them; and again for an event
 * outside the loaded span. Changes `histories`.
 */
export async function loadNeededActivity(
  db: Db,
  tenant: Tenant,
  byAgent: ReadonlyMap<string, DetectionEvent[]>,
  histories: ReadonlyMap<string, History>,
  { cursor, needs, readHours, outside }: Loading,
): Promise<void> {
  const parts = [...byAgent].flatMap(([agent_id, events]): AgentPart[] => {
    const history = histories.get(agent_id);
    if (!history) return [];
    const times = events.flatMap(event => {
      const { paid_at } = history.by_id.get(event.payment_id) ?? outside.get(paymentKey(event)) ?? { paid_at: null };
      return paid_at === null ? [event.occurred_at] : [event.occurred_at, paid_at];
    });
    const earliest = Math.min(...times);
    forgetOldHours(history, earliest - HOURS_BEFORE);
    forgetMinutes(history, times);
    return [{ agent_id, history, events, times, earliest }];
  });

  const forHours = parts.filter(part => !hasHours(part) && mayNeedBaseline(part, needs));
  const hours = forHours.length > 0 ? await readHours(db, tenant, forHours, cursor) : null;
  for (const { agent_id, history, earliest } of forHours) {
    history.hours = hours?.get(agent_id) ?? [];
    history.hours_from = earliest - HOURS_BEFORE;
    history.baseline = null;
  }

  const forMinutes = parts.flatMap(part => (mayNeedMinutes(part) ? wantedMinutes(part) : []));
  if (forMinutes.length === 0) return;
  const loaded = await loadMinutes(db, tenant, forMinutes, cursor);
  for (const [agent_id, spans] of Map.groupBy(forMinutes, wanted => wanted.agent_id)) {
    const history = histories.get(agent_id);
    if (!history) continue;
    history.minutes ??= new Map();
    putMinutes(history.minutes, loaded.get(agent_id) ?? new Map(), spans);
    history.minutes_within = joined([...history.minutes_within, ...spans]);
  }
}

/** Forgets what is asked for at none of these times, where there is much of it. Changes `history`. */
function forgetMinutes(history: History, times: readonly number[]): void {
  if (!history.minutes || !isMuch(history.minutes)) return;
  const windows = windowsOf(history, times);
  keepMinutes(history.minutes, windows);
  history.minutes_within = common(history.minutes_within, windows);
}

/**
 * The times around those of an agent's events of which its minutes are not at hand; and a day further, for the ranges that follow, since a history that is sent
 * late goes on in order.
 */
function wantedMinutes({ agent_id, history, times }: AgentPart): WantedMinutes[] {
  const { minutes_within } = history;
  const lacking = windowsOf(history, times).filter(window => missingOf(minutes_within, window).length > 0);
  return joined(lacking.map(({ from, to }) => ({ from, to: to + DAY })))
    .flatMap(window => missingOf(minutes_within, window))
    .map(span => ({ agent_id, ...span }));
}

/** The whole hours of a day before and after each time; without an end where there is nothing later: every later event keeps them current. */
function windowsOf({ payments }: History, times: readonly number[]): Span[] {
  const newest = payments.reduce((most, { latest_at }) => Math.max(most, latest_at), -Infinity);
  return joined(
    times.map(at => {
      const to = hourOf(at + DAY + HOUR) + HOUR;
      return { from: hourOf(at - DAY - HOUR), to: to > newest ? Infinity : to };
    }),
  );
}

const hourOf = (time: number) => time - (time % HOUR);

/** Whether the loaded hours cover the baselines of all these events. */
const hasHours = ({ history: { hours, hours_from }, earliest }: AgentPart) =>
  hours !== null && hours_from <= earliest - BASELINE_LENGTH - HOUR;

/** True whenever a detector could need the baseline for these events: the counts and sums here are upper bounds. */
function mayNeedBaseline(part: AgentPart, needs: Needs): boolean {
  const { history, events, earliest } = part;
  const { payments } = history;
  const since = (length: number) => payments.length - firstFrom(payments, earliest - length) + events.length;
  if (since(MINUTE) >= needs.per_minute || since(HOUR) >= needs.per_hour) return true;
  const spent = events.reduce((sum, event) => sum + (event.usd_micro ?? 0n), history.spend_micro);
  return spent > needs.spend_micro || mayNeedMinutes(part);
}

/**
 * True whenever the payments at hand could reach back a day, or hardly more, now or after some of these events (see `isCut`): hours and minutes
 * are there then, however the log is cut into ranges.
 */
function mayNeedMinutes({ history: { payments, complete_from }, events, earliest }: AgentPart): boolean {
  const from = earliest - DAY - HOUR;
  if (complete_from > from) return true;
  const fall_out = Math.max(0, payments.length + events.length - MOST_PAYMENTS);
  if (fall_out === 0 && complete_from === -Infinity) return false;
  // Of the payments that stay, so many started no later than this one.
  return (payments[fall_out + LEAST_AT_HAND - 1]?.started_at ?? Infinity) >= from;
}
