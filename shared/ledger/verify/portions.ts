/** Items in order, in batches of up to `most_bytes`; a larger item comes alone. */
export function* inPortions<T extends { bytes: number | null }>(
  items: readonly T[],
  most_bytes = MOST_BYTES,
): Generator<T[]> {
  let portion: T[] = [];
  let bytes = 0;
  for (const item of items) {
    const size = item.bytes ?? 0;
    if (portion.length > 0 && bytes + size > most_bytes) {
      yield portion;
      [portion, bytes] = [[], 0];
    }
    portion.push(item);
    bytes += size;
  }
  if (portion.length > 0) yield portion;
}

const MOST_BYTES = 8 * 1_024 ** 2;
