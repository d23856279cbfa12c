import { getHeapStatistics } from 'node:v8';

/** The bytes of request bodies that a process has in hand, from the first byte until the answer. */
export type Bodies = {
  /** Begins a body of somebody: an organization, or all together of whom nobody is known. */
  begin(holder: string): BodyHold;
};

export type BodyHold = {
  /** Takes so many bytes more. False where there is no room for them. */
  take(bytes: number): boolean;
  /** Waits until the body may be worked on. */
  turn(): Promise<void>;
  /** Gives back what was taken; the body is no longer needed. */
  release(): void;
};

/** So many bytes of one holder are worked on at a time: whoever sends a thousand large batches at once holds up nobody else. */
const AT_WORK = 2 * 1_048_576;
/** What is no larger than this does not wait: it is no batch. */
const SMALL = 65_536;
/** The part of the heap from which on bodies are taken one at a time. */
const NEARLY_FULL = 0.85;

type Holder = { bytes: number; at_work: number; waiting: { bytes: number; start(): void }[] };

/**
 * Of `most` bytes everybody may hold as many as are left free: one sender gets no more than half, two that send without end a third
 * each, and whoever comes then finds the rest (the dynamic threshold of Choudhury and Hahne, 1998). The first body is always taken.
 */
export function createBodies(most: number, heapUse = heapInUse): Bodies {
  const holders = new Map<string, Holder>();
  let all = 0;

  /** Starts what has waited longest, as far as there is room. */
  function next(holder: Holder): void {
    for (let [first] = holder.waiting; first; [first] = holder.waiting) {
      if (holder.at_work > 0 && holder.at_work + first.bytes > AT_WORK) return;
      holder.waiting.shift();
      holder.at_work += first.bytes;
      first.start();
    }
  }

  return {
    begin(name) {
      let own = 0;
      let at_work = 0;
      const holderOf = () => {
        const holder = holders.get(name) ?? { bytes: 0, at_work: 0, waiting: [] };
        holders.set(name, holder);
        return holder;
      };
      return {
        take(bytes) {
          if (most === Infinity) return true;
          const holder = holderOf();
          if (all > own && (holder.bytes + bytes > most - all || heapUse() > NEARLY_FULL)) return false;
          holder.bytes += bytes;
          own += bytes;
          all += bytes;
          return true;
        },
        turn() {
          if (own <= SMALL) return Promise.resolve();
          const holder = holderOf();
          const { promise, resolve } = Promise.withResolvers<void>();
          holder.waiting.push({ bytes: own, start: resolve });
          at_work = own;
          next(holder);
          return promise;
        },
        release() {
          const holder = holderOf();
          holder.bytes -= own;
          holder.at_work -= at_work;
          all -= own;
          own = 0;
          at_work = 0;
          next(holder);
          if (holder.bytes === 0 && holder.waiting.length === 0) holders.delete(name);
        },
      };
    },
  };
}

function heapInUse(): number {
  const { used_heap_size, heap_size_limit } = getHeapStatistics();
  return used_heap_size / heap_size_limit;
}
