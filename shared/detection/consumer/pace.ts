/** How much one transaction takes on: ranges are cut so that they take about `TARGET`, whatever they are made of and run on. */
export type Pace = {
  /** The most that the next range may cost, as `costOf` counts it. */
  mostCost(): number;
  /** Tells what a range cost, and how many milliseconds it took. */
  learn(cost: number, ms: number): void;
};

/** How long a range holds its transaction, in milliseconds: another organization's is not held up for longer. */
const TARGET = 250;
/** A range that costs this took about as long on two slow processors. */
const FIRST = 2_000;
/** Below, a range would be mostly its fixed cost. One event brings no more than 120. */
const LEAST = 120;
const MOST = 8_000;

/** Learns from ranges that were about as large as they might be: of others, most of the time is their fixed cost. */
export function createPace(): Pace {
  let most = FIRST;
  return {
    mostCost: () => most,
    learn(cost, ms) {
      if (cost < most / 2) return;
      // One pause of the process says little.
      const change = Math.min(2, Math.max(0.5, TARGET / Math.max(1, ms)));
      most = Math.round(Math.min(MOST, Math.max(LEAST, most * change)));
    },
  };
}
