/** The items in chunks of at most `size`, in order. */
export function* inChunks<T>(items: readonly T[], size: number): Generator<T[]> {
  for (let from = 0; from < items.length; from += size) yield items.slice(from, from + size);
}

/** The items in chunks, in order, each ending with the item that brings its weight to `most` or more. */
export function* byWeight<T>(items: Iterable<T>, weightOf: (item: T) => number, most: number): Generator<T[]> {
  let piece: T[] = [];
  let weight = 0;
  for (const item of items) {
    piece.push(item);
    weight += weightOf(item);
    if (weight < most) continue;
    yield piece;
    piece = [];
    weight = 0;
  }
  if (piece.length > 0) yield piece;
}
