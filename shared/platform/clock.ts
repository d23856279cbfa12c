import { SECOND } from '#shared/values/time.ts';

/** How often the database is asked for its time. */
const LOOK_EVERY = 10 * SECOND;
/** A process's own clock serves while it is no further off. */
const SMALL = SECOND;
/** From here on it is said. */
const LARGE = 30 * SECOND;

export type Clock = {
  /** Milliseconds since 1970. */
  now(): number;
  /** By how many milliseconds the process's own clock is ahead of the database's; null until that is known. */
  skew(): number | null;
  /** Asks the database. What does not answer within a second tells nothing. */
  look(): Promise<void>;
};

type Sources = { wall?: () => number; monotonic?: () => number };

/**
 * The time that decides what is due. Rows of one process are judged by another, so where a process's own clock is off by more than a second, or
 * jumps, the database's counts, carried on by a clock that cannot be set. `ask` gets the time of the database in milliseconds.
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
      // It was asked half way between.
      latest = { database: answered + (at - began) / 2, wall: wall(), at };
    },
  };
}

/** Looks at once and from then on, until `stop`; `told` hears what was found. */
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

/** What is said of a clock that is off by more than half a minute; null of any other. */
export function describeSkew(skew: number | null): string | null {
  if (skew === null || Math.abs(skew) <= LARGE) return null;
  return `${Math.round(Math.abs(skew) / SECOND)} s ${skew > 0 ? 'ahead of' : 'behind'} the database`;
}
