import type { Db } from '#shared/platform/db.ts';
import { BASELINE_LENGTH } from '#shared/detection/model/baseline.ts';
import { firstFrom, type History, LEAST_AT_HAND, MOST_PAYMENTS } from '#shared/detection/model/history.ts';
import { forgetOldActivity } from '#shared/detection/model/hours.ts';
import type { Needs } from '#shared/detection/model/needs.ts';
import type { DetectionEvent } from '#shared/events/log/payment.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { DAY, HOUR, MINUTE } from '#shared/values/time.ts';
import { HOURS_BEFORE, type HoursReader, loadMinutes, MINUTES_AFTER, MINUTES_BEFORE } from './load_activity.ts';

/** An agent's part of a range: its history, its events, and the times of the earliest and latest. */
type AgentPart = { agent_id: string; history: History; events: DetectionEvent[]; earliest: number; latest: number };

/**
 * Loads the hours and minutes of agents that reach, or may reach within this range, a threshold that needs them; and again for an event
 * outside the loaded span. Changes `histories`.
 */
export async function loadNeededActivity(
  db: Db,
  tenant: Tenant,
  byAgent: ReadonlyMap<string, DetectionEvent[]>,
  histories: ReadonlyMap<string, History>,
  { cursor, needs, readHours }: { cursor: number; needs: Needs; readHours: HoursReader },
): Promise<void> {
  const parts = [...byAgent].flatMap(([agent_id, events]): AgentPart[] => {
    const history = histories.get(agent_id);
    if (!history) return [];
    forgetOldActivity(history);
    const times = events.map(event => event.occurred_at);
    return [{ agent_id, history, events, earliest: Math.min(...times), latest: Math.max(...times) }];
  });

  const forHours = parts.filter(part => !hasHours(part) && mayNeedBaseline(part, needs));
  const hours = forHours.length > 0 ? await readHours(db, tenant, forHours, cursor) : null;
  for (const { agent_id, history, earliest } of forHours) {
    history.hours = hours?.get(agent_id) ?? [];
    history.hours_from = earliest - HOURS_BEFORE;
    history.baseline = null;
  }

  const forMinutes = parts.filter(part => !hasMinutes(part) && mayNeedMinutes(part));
  const minutes = forMinutes.length > 0 ? await loadMinutes(db, tenant, forMinutes, cursor) : null;
  for (const { agent_id, history, earliest, latest } of forMinutes) {
    history.minutes = minutes?.get(agent_id) ?? new Map();
    const to = latest + MINUTES_AFTER;
    // Up to its latest activity; every later event keeps them current.
    const newest = Math.max(-Infinity, ...history.payments.map(payment => payment.latest_at));
    history.minutes_within = { from: earliest - MINUTES_BEFORE, to: to >= newest ? Infinity : to };
  }
}

/** Whether the loaded hours cover the baselines of all these events. */
const hasHours = ({ history: { hours, hours_from }, earliest }: AgentPart) =>
  hours !== null && hours_from <= earliest - BASELINE_LENGTH - HOUR;

/** Whether the loaded minutes cover all windows of a day around these events. */
const hasMinutes = ({ history: { minutes, minutes_within }, earliest, latest }: AgentPart) =>
  minutes !== null && minutes_within.from <= earliest - DAY - HOUR && minutes_within.to >= latest + MINUTES_AFTER;

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
