/** The events that the words of an alert count, in short: the last of them in the log, and a fingerprint of them all and of the score. */
export type CountedMark = { until: number; mark: number };

/**
 * The mark of events by their places in the log, in whatever order; null of none. Two different sets share one by a chance of 2⁻⁵³. With the
 * `score` in it, no mark fits words that a version without marks has written since.
 */
export function markOf(seqs: readonly number[], score: number): CountedMark | null {
  if (seqs.length === 0) return null;
  let [high, low, until] = [0, mixed(Math.round(10 * score)), 0];
  for (const seq of seqs) {
    const first = mixed((seq >>> 0) ^ mixed(Math.floor(seq / WORD)));
    low ^= first;
    high ^= mixed(first ^ seq) >>> 11;
    until = Math.max(until, seq);
  }
  return { until, mark: high * WORD + (low >>> 0) };
}

const WORD = 2 ** 32;

/** The finalizer of MurmurHash3: each bit of 32 changes half of the others. */
function mixed(value: number): number {
  let bits = value | 0;
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}
