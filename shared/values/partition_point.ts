/**
 * The first index below `length` for which `isReached` holds, which then holds for all that follow; `length` where it holds for none. Found by
 * halving.
 */
export function partitionPoint(length: number, isReached: (index: number) => boolean): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isReached(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
