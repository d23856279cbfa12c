import type { History } from './history.ts';
import type { DetectionEvent } from '#shared/events/log/payment.ts';
import { DAY, MINUTE } from '#shared/values/time.ts';

/** What is reported so long after what came later (milliseconds) is of another day. */
const LATE = DAY;
/** Clients' clocks may be this far ahead. */
const MOST_AHEAD = 5 * MINUTE;

/** So many late events of an agent are strays, and judged as they come. Of more its past is being filled in. */
export const MOST_STRAYS = 3;

/** Whether an event is of a time long before a payment of the agent that was reported earlier. `history` is that before the event. */
export const isLate = ({ occurred_at }: Pick<DetectionEvent, 'occurred_at'>, { payments }: History): boolean =>
  occurred_at < (payments.at(-1)?.started_at ?? -Infinity) - LATE;

/** False where `isLate` cannot be true. */
export const mayBeLate = ({ occurred_at, received_at }: Pick<DetectionEvent, 'occurred_at' | 'received_at'>): boolean =>
  occurred_at < received_at + MOST_AHEAD - LATE;
