import { SECOND } from '#shared/values/time.ts';

/** How often the database is asked for its time. */
const LOOK_EVERY = 10 * SECOND;
/** The largest error with which the process's own clock is used. */
const SMALL = SECOND;
/** The error from which the clock is reported. */
const LARGE = 30 * SECOND;

export type Clock = {
  /** Milliseconds since 1970. */
  now(): number;
  /** How many milliseconds the process's own clock is ahead of the database's; null while unknown. */
  skew(): number | null;
  /** Reads the database's time. An answer after more than a second is ignored. */
  look(): Promise<void>;
};

type Sources = { wall?: () => number; monotonic?: () => number };

/**
 * The time that decides what is due. One process reads another's rows, so when a process's own clock is off by more than a second, or
 * jumps, the database's time counts instead, advanced by a monotonic clock. `ask` returns the database's time in milliseconds.
 */
export function createClock(
  ask: () => Promise<number>,
  { wall = Date.now, monotonic = () => performance.now() }: Sources = {},
): Clock {
  let latest: { database: number; wall: number; at: number } | null = null;
  return {
    now() {
      const own = wall();
      if (latest === null) return own;
      const passed = monotonic() - latest.at;
      const isTrue = Math.abs(latest.wall - latest.database) <= SMALL && Math.abs(own - latest.wall - passed) <= SMALL;
      return isTrue ? own : Math.floor(latest.database + passed);
    },
    skew: () => latest && wall() - (latest.database + monotonic() - latest.at),
    async look() {
      const began = monotonic();
      const answered = await ask().catch(() => null);
      const at = monotonic();
      if (answered === null || at - began > SECOND) return;
      // The database read its clock about halfway between.
      latest = { database: answered + (at - began) / 2, wall: wall(), at };
    },
  };
}

/** Measures at once and regularly until `stop`; calls `onSkew` with each result. */
export async function watchClock(clock: Clock, onSkew: (skew: number) => void): Promise<{ stop(): void }> {
  const look = async () => {
    await clock.look();
    const skew = clock.skew();
    if (skew !== null) onSkew(skew);
  };
  await look();
  const timer = setInterval(look, LOOK_EVERY).unref();
  return { stop: () => clearInterval(timer) };
}

/** The report on a clock that is off by more than half a minute; null for any other. */
export function describeSkew(skew: number | null): string | null {
  if (skew === null || Math.abs(skew) <= LARGE) return null;
  return `${Math.round(Math.abs(skew) / SECOND)} s ${skew > 0 ? 'ahead of' : 'behind'} the database`;
}
