import type { Tenant } from '#shared/interface/schemas.ts';
import { MINUTE } from '#shared/values/time.ts';

/**
 * The size of one transaction: ranges are cut so that they take about as long as they may, whatever their contents and hardware. `now` is a
 * moment of a clock in milliseconds.
 */
export type Pace = {
  /** The highest cost of the next range of a log, as computed by `costOf`. */
  mostCost(tenant: Tenant, now: number): number;
  /** Notes that a range of a log was analyzed: its cost, and how long that took in milliseconds. */
  learn(tenant: Tenant, range: { cost: number; ms: number }, now: number): void;
  /** A range could not be analyzed: the next are no larger than where several logs are at work. */
  fail(): void;
};

/** How long a range may hold its transaction, in milliseconds, where several logs are at work. */
const TARGET = 250;
/**
 * How many times longer, doubled from range to range, where no other log has been at work for a while. What a range writes for an agent, a
 * payee or an alert is then written once for more events (60,000 events of 2,000 agents: 237 → 204 µs of CPU an event; in a storm of alerts
 * 487 → 359).
 */
const ALONE = 8;
const A_WHILE = MINUTE;
/** A range of this cost took about `TARGET` on two slow processors. */
const FIRST = 2_000;
/** A smaller range would be mostly fixed cost. One event costs at most 120. */
const LEAST = 120;
const MOST = 8_000;

/** Learns only from ranges that are not small: those are mostly fixed cost. */
export function createPace(): Pace {
  /** The highest cost of a range that takes `TARGET`. */
  let most = FIRST;
  let latest = '';
  let in_a_row = 0;
  let others_at = -Infinity;
  return {
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
      if (cost < most / 2) return;
      // Events that suddenly cost more make no range take much longer than it may, but the first.
      in_a_row = ms > 2 * ALONE * TARGET ? 0 : in_a_row + 1;
      // A single pause of the process says little.
      const change = Math.min(2, Math.max(0.5, ((cost / most) * TARGET) / Math.max(1, ms)));
      most = Math.round(Math.min(MOST, Math.max(LEAST, most * change)));
    },
    fail: () => void (in_a_row = 0),
  };
}

const nameOf = ({ org_id, environment }: Tenant) => `${org_id} ${environment}`;
