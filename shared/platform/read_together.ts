/** The most keys of one query. */
const MOST = 1_000;
/** Milliseconds between two queries under load, and the number of immediate ones before that. */
const GAP = 5;
const AT_ONCE = 20;

/**
 * Combines reads requested at nearly the same time: under load a query begins every few milliseconds, for all keys requested meanwhile; a
 * single caller does not wait. Each query begins after its keys were requested, so nobody gets an older state, and writers find what they
 * wrote. A missing key gives undefined; a failed query fails for all its callers.
 */
export function readTogether<V>(
  readKeys: (keys: string[]) => Promise<ReadonlyMap<string, V>>,
): (key: string) => Promise<V | undefined> {
  let waiting = new Map<string, PromiseWithResolvers<V | undefined>>();
  let planned = false;
  /** When the next query would be due at an even pace. */
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
