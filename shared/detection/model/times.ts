/**
 * The window of `length` milliseconds around `time` that holds the most of these times (sorted): those it holds. Every window that
 * contains `time` is looked at, so the order in which events arrive does not matter.
 */
export function densestTimes(times: readonly number[], time: number, length: number): readonly number[] {
  let best = { from: 0, to: 0 };
  let from = 0;
  for (const [at, end] of times.entries()) {
    if (end >= time + length) break;
    // The window ends with this time, or with `time` where that is later.
    const start = Math.max(end, time) - length;
    while ((times[from] ?? Infinity) <= start) from += 1;
    if (at + 1 - from > best.to - best.from) best = { from, to: at + 1 };
  }
  return times.slice(best.from, best.to);
}
