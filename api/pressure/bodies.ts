import { getHeapStatistics } from 'node:v8';

/** The bytes of bodies in memory: of requests from the first byte until the response, or of answers until they have been read. */
export type Bodies = {
  /** Starts a body for a holder: an organization, or one shared by all unknown senders. */
  begin(holder: string): BodyHold;
};

export type BodyHold = {
  /** Takes this many more bytes. False when there is no room for them. */
  take(bytes: number): boolean;
  /** Frees what was taken; the body is no longer needed. */
  release(): void;
};

/** The share of the heap above which bodies are taken one at a time. */
const NEARLY_FULL = 0.85;

/**
 * Of `most` bytes, each holder may hold as many as are still free: one sender gets at most half, two endless senders a third each, and
 * newcomers find the rest (the dynamic threshold of Choudhury and Hahne, 1998). The first body is always taken.
 */
export function createBodies(most: number, heapUse = heapInUse): Bodies {
  const held = new Map<string, number>();
  let all = 0;

  return {
    begin(holder) {
      let own = 0;
      const add = (bytes: number) => {
        own += bytes;
        all += bytes;
        const now = (held.get(holder) ?? 0) + bytes;
        if (now === 0) held.delete(holder);
        else held.set(holder, now);
      };
      return {
        take(bytes) {
          if (most === Infinity) return true;
          const isFull = () => (held.get(holder) ?? 0) + bytes > most - all || heapUse() > NEARLY_FULL;
          if (all > own && isFull()) return false;
          add(bytes);
          return true;
        },
        release: () => add(-own),
      };
    },
  };
}

function heapInUse(): number {
  const { used_heap_size, heap_size_limit } = getHeapStatistics();
  return used_heap_size / heap_size_limit;
}
