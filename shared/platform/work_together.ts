/**
 * Handles calls made at nearly the same time together, separately for each key: a single call begins at once; while `at_once` groups of a
 * key are running, further calls gather, and up to `most` form the next group. `work` returns a value for each in order, or an Error for
 * one alone; if it throws, all of the group fail.
 */
export function workTogether<A, R>(
  work: (key: string, items: readonly A[]) => Promise<readonly (R | Error)[]>,
  { most, at_once }: { most: number; at_once: number },
): (key: string, item: A) => Promise<R> {
  type Waiting = PromiseWithResolvers<R> & { item: A };
  const lines = new Map<string, { waiting: Waiting[]; under_way: number; planned: boolean }>();

  function begin(key: string) {
    const line = lines.get(key);
    if (!line) return;
    line.planned = false;
    while (line.under_way < at_once && line.waiting.length > 0) void run(key, line.waiting.splice(0, most));
    if (line.under_way === 0) lines.delete(key);
  }

  async function run(key: string, group: readonly Waiting[]) {
    const line = lines.get(key);
    if (line) line.under_way += 1;
    try {
      const answers = await work(
        key,
        group.map(({ item }) => item),
      );
      for (const [at, { resolve, reject }] of group.entries()) {
        const answer = answers[at];
        if (answer === undefined) reject(new Error('nothing was answered'));
        else if (answer instanceof Error) reject(answer);
        else resolve(answer);
      }
    } catch (error) {
      for (const { reject } of group) reject(error);
    }
    if (line) line.under_way -= 1;
    begin(key);
  }

  return (key, item) => {
    const line = lines.get(key) ?? { waiting: [], under_way: 0, planned: false };
    lines.set(key, line);
    const waiting = { ...Promise.withResolvers<R>(), item };
    line.waiting.push(waiting);
    // After what else has arrived by now.
    if (!line.planned) setImmediate(begin, key);
    line.planned = true;
    return waiting.promise;
  };
}
