/** Lets requests be processed a few at a time, with fair turns. */
export type Turns = {
  /** Waits for a place for a holder's request; null when too many of theirs are waiting. */
  take(holder: string, weight: number): Promise<Turn> | null;
};

/** A request's place, until released; releasing it again does nothing. */
type Turn = { release(): void };

type Holder = { at_work: number; waiting: { weight: number; start(): void }[] };

/**
 * Of `most` places, each holder may have as many as are still free: one sender gets half, two endless senders a third each, and newcomers
 * find the rest (the dynamic threshold of Choudhury and Hahne, 1998). Next is whoever of those waiting has the least being processed: an
 * organization with much in progress waits behind one with little. Nobody holds a database connection while waiting.
 */
export function createTurns(most: number, most_waiting: number): Turns {
  const holders = new Map<string, Holder>();
  let all = 0;

  const fits = ({ at_work }: Holder, weight: number) =>
    all + weight <= most && (at_work === 0 || at_work + weight <= most - all);

  /** Moves a holder behind its equals, after a turn or when it starts waiting. */
  function putLast(name: string, holder: Holder): void {
    holders.delete(name);
    holders.set(name, holder);
  }

  /** The waiting holder with the least being processed, if there is room; of equals, the first in the list. */
  function nextHolder(): [string, Holder] | undefined {
    let next: [string, Holder] | undefined;
    for (const each of holders)
      if (each[1].waiting.length > 0 && (!next || each[1].at_work < next[1].at_work)) next = each;
    const first = next?.[1].waiting[0];
    // Nobody who needs less room may overtake the first, or one that needs much would never get it.
    return next && first && fits(next[1], first.weight) ? next : undefined;
  }

  function startNext(): void {
    for (let next = nextHolder(); next; next = nextHolder()) {
      const [name, holder] = next;
      const first = holder.waiting.shift();
      if (!first) return;
      holder.at_work += first.weight;
      all += first.weight;
      putLast(name, holder);
      first.start();
    }
  }

  function giveBack(name: string, holder: Holder, weight: number): void {
    holder.at_work -= weight;
    all -= weight;
    if (holder.at_work === 0 && holder.waiting.length === 0) holders.delete(name);
    startNext();
  }

  return {
    take(name, wanted) {
      const weight = Math.min(wanted, Math.max(1, Math.floor(most / 2)));
      const holder = holders.get(name) ?? { at_work: 0, waiting: [] };
      if (holder.waiting.length >= most_waiting) return null;
      if (holder.waiting.length === 0) putLast(name, holder);
      const { promise, resolve } = Promise.withResolvers<Turn>();
      const release = once(() => giveBack(name, holder, weight));
      holder.waiting.push({ weight, start: () => resolve({ release }) });
      startNext();
      return promise;
    },
  };
}

function once(act: () => void): () => void {
  let done = false;
  return () => {
    if (!done) act();
    done = true;
  };
}
