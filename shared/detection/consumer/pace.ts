import { LRUCache } from 'lru-cache';
import type { Tenant } from '#shared/interface/schemas.ts';
import { MINUTE } from '#shared/values/time.ts';

/**
 * The size of one transaction, and the time between two: ranges are cut so that they take about as long as they may, whatever their contents
 * and hardware, and small ones do not follow each other at once. `now` is a moment of a clock in milliseconds.
 */
export type Pace = {
  /** How long to wait before the next range of a log, in milliseconds: what comes in meanwhile is analyzed with it. */
  rest(tenant: Tenant, now: number): number;
  /** The highest cost of the next range of a log, as computed by `costOf`. */
  mostCost(tenant: Tenant, now: number): number;
  /** Notes that a range of a log was analyzed: its cost, and how long that took in milliseconds. */
  learn(tenant: Tenant, range: { cost: number; ms: number }, now: number): void;
};

/** How long a range may hold its transaction, in milliseconds, where several logs are at work. */
const TARGET = 250;
/**
 * How many times longer where no other log has been at work for a while. What a range writes for an agent, a payee or an alert is then
 * written once for more events (60,000 events of 2,000 agents: 273 → 240 µs of CPU an event; in a storm of alerts 595 → 439).
 */
const ALONE = 8;
const A_WHILE = MINUTE;
/** A range of this cost took about `TARGET` on two slow processors. */
const FIRST = 2_000;
/** A smaller range would be mostly fixed cost. One event costs at most 120. */
const LEAST = 120;
const MOST = 8_000;
/**
 * After a small range its log rests for twice as long as that took, but no longer than `MOST_REST` milliseconds. A range costs as much as
 * 100 events (1,000 events a second in batches of 10: 1,630 → 1,090 µs of CPU an event).
 */
const REST = 2;
const MOST_REST = 100;
/** Logs whose rest is known; of more, none is at work often enough to need one. */
const MOST_LOGS = 1_000;

/** Learns only from ranges that are not small: those are mostly fixed cost. */
export function createPace(): Pace {
  /** The highest cost of a range that takes `TARGET`. */
  let most = FIRST;
  let latest = '';
  let in_a_row = 0;
  let others_at = -Infinity;
  const rests = new LRUCache<string, number>({ max: MOST_LOGS });
  return {
    rest: (tenant, now) => Math.max(0, (rests.get(nameOf(tenant)) ?? now) - now),
    mostCost(tenant, now) {
      const is_alone = nameOf(tenant) === latest && now - others_at >= A_WHILE;
      return is_alone ? most * Math.min(ALONE, 2 ** in_a_row) : most;
    },
    learn(tenant, { cost, ms }, now) {
      const name = nameOf(tenant);
      if (name !== latest) {
        if (latest !== '') others_at = now;
        latest = name;
        in_a_row = 0;
      }
      const is_small = cost < most / 2;
      rests.set(name, is_small ? now + Math.min(REST * ms, MOST_REST) : now);
      if (is_small) return;
      in_a_row += 1;
      // A single pause of the process says little.
      const change = Math.min(2, Math.max(0.5, ((cost / most) * TARGET) / Math.max(1, ms)));
      most = Math.round(Math.min(MOST, Math.max(LEAST, most * change)));
    },
  };
}

const nameOf = ({ org_id, environment }: Tenant) => `${org_id} ${environment}`;
