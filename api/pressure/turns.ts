/** Lets requests be worked on, some at a time and everybody in their turn. */
export type Turns = {
  /** Waits for a place for a request of a holder; null where too many of theirs wait already. */
  take(holder: string, weight: number): Promise<Turn> | null;
};

/** A request's place, until it is released; a second time changes nothing. */
type Turn = { release(): void };

type Holder = { at_work: number; waiting: { weight: number; start(): void }[] };

/**
 * Of `most` places everybody may have as many as are left free: one sender gets half, two that send without end a third each, and whoever
 * comes then finds the rest (the dynamic threshold of Choudhury and Hahne, 1998). Of those who wait, whoever has least at work is next:
 * an organization with much under way waits behind one with little. Nobody holds a database connection while they wait.
 */
export function createTurns(most: number, most_waiting: number): Turns {
  const holders = new Map<string, Holder>();
  let all = 0;

  const fits = ({ at_work }: Holder, weight: number) =>
    all + weight <= most && (at_work === 0 || at_work + weight <= most - all);

  /** Behind its equals: it has had a turn, or begins to wait. */
  function putLast(name: string, holder: Holder): void {
    holders.delete(name);
    holders.set(name, holder);
  }

  /** Of those who wait, the one with least at work, if there is room; of equals, the first in the list. */
  function nextHolder(): [string, Holder] | undefined {
    let next: [string, Holder] | undefined;
    for (const each of holders)
      if (each[1].waiting.length > 0 && (!next || each[1].at_work < next[1].at_work)) next = each;
    const first = next?.[1].waiting[0];
    // Nobody who needs less room passes whoever has least, or one that needs much would never have it.
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
