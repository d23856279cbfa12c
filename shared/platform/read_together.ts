/** The most keys of one query. */
const MOST = 1_000;
/** So many milliseconds lie between two queries where there are many, and so many come before anybody has to wait. */
const GAP = 5;
const AT_ONCE = 20;

/**
 * Reads together what is asked for at nearly the same time: where there is much to read a query begins every few milliseconds, for all who
 * came meanwhile; whoever comes alone does not wait. It begins after each of them asked, so nobody is told what was so
 * before, and whoever wrote something finds it. What is not found is undefined; when a query fails, it fails for all who waited for it.
 */
export function readTogether<V>(
  readKeys: (keys: string[]) => Promise<ReadonlyMap<string, V>>,
): (key: string) => Promise<V | undefined> {
  let waiting = new Map<string, PromiseWithResolvers<V | undefined>>();
  let planned = false;
  /** When the next would be due if they began evenly. */
  let due_at = 0;

  async function begin() {
    planned = false;
    due_at = Math.max(due_at, performance.now()) + GAP;
    const batch = [...waiting].slice(0, MOST);
    waiting = new Map([...waiting].slice(MOST));
    if (waiting.size > 0) plan();
    try {
      const values = await readKeys(batch.map(([key]) => key));
      for (const [key, { resolve }] of batch) resolve(values.get(key));
    } catch (error) {
      for (const [, { reject }] of batch) reject(error);
    }
  }

  function plan() {
    planned = true;
    const wait = due_at - AT_ONCE * GAP - performance.now();
    if (wait > 0) setTimeout(begin, wait);
    else setImmediate(begin);
  }

  return key => {
    const pending = waiting.get(key);
    if (pending) return pending.promise;
    const fresh = Promise.withResolvers<V | undefined>();
    waiting.set(key, fresh);
    if (!planned) plan();
    return fresh.promise;
  };
}
