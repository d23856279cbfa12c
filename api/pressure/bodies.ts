import { getHeapStatistics } from 'node:v8';

/** The bytes of request bodies that a process has in hand, from the first byte until the answer. */
export type Bodies = {
  /** Begins a body of somebody: an organization, or all together of whom nobody is known. */
  begin(holder: string): BodyHold;
};

export type BodyHold = {
  /** Takes so many bytes more. False where there is no room for them. */
  take(bytes: number): boolean;
  /** Gives back what was taken; the body is no longer needed. */
  release(): void;
};

/** The part of the heap from which on bodies are taken one at a time. */
const NEARLY_FULL = 0.85;

/**
 * Of `most` bytes everybody may hold as many as are left free: one sender gets no more than half, two that send without end a third
 * each, and whoever comes then finds the rest (the dynamic threshold of Choudhury and Hahne, 1998). The first body is always taken.
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
          const full = (held.get(holder) ?? 0) + bytes > most - all || heapUse() > NEARLY_FULL;
          if (all > own && full) return false;
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
