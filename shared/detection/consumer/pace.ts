/** The size of one transaction: ranges are cut so that they take about `TARGET`, whatever their contents and hardware. */
export type Pace = {
  /** The highest cost of the next range, as computed by `costOf`. */
  mostCost(): number;
  /** Records the cost of a range, and its duration in milliseconds. */
  learn(cost: number, ms: number): void;
};

/** How long a range may hold its transaction, in milliseconds: other organizations wait no longer. */
const TARGET = 250;
/** A range of this cost took about that long on two slow processors. */
const FIRST = 2_000;
/** A smaller range would be mostly fixed cost. One event costs at most 120. */
const LEAST = 120;
const MOST = 8_000;

/** Learns only from ranges close to the limit: smaller ones are mostly fixed cost. */
export function createPace(): Pace {
  let most = FIRST;
  return {
    mostCost: () => most,
    learn(cost, ms) {
      if (cost < most / 2) return;
      // A single pause of the process says little.
      const change = Math.min(2, Math.max(0.5, TARGET / Math.max(1, ms)));
      most = Math.round(Math.min(MOST, Math.max(LEAST, most * change)));
    },
  };
}
