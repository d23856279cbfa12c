import type { History } from './history.ts';
import type { DetectionEvent } from '#shared/events/log/payment.ts';
import type { LateEvents } from '#shared/events/ranges/backfills.ts';
import { DAY, MINUTE } from '#shared/values/time.ts';

/** What is reported so long after what came later (milliseconds) is of another day. */
const LATE = DAY;
/** Clients' clocks may be this far ahead, so an event can have occurred this long after it arrived. */
export const MOST_AHEAD = 5 * MINUTE;

/** So many late events of an agent are strays, and judged as they come. Of more its past is being filled in. */
export const MOST_STRAYS = 3;

/** Whether an event is of a time long before a payment of the agent that was reported earlier. `history` is that before the event. */
const isLate = ({ occurred_at }: DetectionEvent, { payments }: History): boolean =>
  occurred_at < (payments.at(-1)?.started_at ?? -Infinity) - LATE;

/** False where an event cannot be late. */
export const mayBeLate = ({ occurred_at, received_at }: Pick<DetectionEvent, 'occurred_at' | 'received_at'>): boolean =>
  occurred_at < received_at + MOST_AHEAD - LATE;

/** Whether an event waits until its agent's past is known. `before`: how many late events agents had; those of the range are added to `late`. */
export function isHeld(
  event: DetectionEvent,
  history: History,
  before: ReadonlyMap<string, number>,
  late: Map<string, LateEvents>,
): boolean {
  if (!isLate(event, history)) return false;
  const { agent_id, occurred_at, received_at } = event;
  const known = late.get(agent_id);
  const events = (known?.events ?? 0) + 1;
  late.set(agent_id, {
    events,
    from_at: Math.min(known?.from_at ?? Infinity, occurred_at),
    until_at: Math.max(known?.until_at ?? -Infinity, occurred_at),
    received_at: known?.received_at ?? received_at,
  });
  return (before.get(agent_id) ?? 0) + events > MOST_STRAYS;
}
