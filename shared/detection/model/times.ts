/**
 * The window of `length` milliseconds around `time` that holds the most of these times (sorted): those it holds. Every window that
 * contains `time` is looked at, so the order in which events arrive does not matter.
 */
export function densestTimes(times: readonly number[], time: number, length: number): readonly number[] {
  let [best, most, from, to] = [0, 0, 0, 0];
  for (const end of times) {
    if (end >= time + length) break;
    to += 1;
    // The window ends with this time, or with `time` where that is later.
    const start = Math.max(end, time) - length;
    while ((times[from] ?? Infinity) <= start) from += 1;
    if (to - from > most) [best, most] = [from, to - from];
  }
  return times.slice(best, best + most);
}
