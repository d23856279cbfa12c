/** Holds an LRU cache to so many entries. With `max` instead it allocates room for all of them at once: 22 bytes each. */
export const atMost = (entries: number) => ({ maxSize: entries, sizeCalculation: () => 1 });
