import { availableParallelism } from 'node:os';
import { unavailable } from '#shared/interface/errors.ts';
import type { Logger } from '#shared/platform/log.ts';
import { type SearchedList, type SearchThread, startSearchThread } from './search_thread.ts';
import type { Searched, Sought } from './look.ts';

/** Looks for people in lists, in threads beside the one that asks. */
export type Search = {
  /**
   * Looks for each in the lists, and answers in their order. What the matcher fails at fails alone. Throws `unavailable` where a thread ended
   * twice over the same, and when it is closed.
   */
  find(lists: readonly SearchedList[], sought: readonly Sought[]): Promise<Searched[]>;
  /** Ends the threads; whoever waits is answered `unavailable`. */
  close(): Promise<void>;
};

/** A part of what somebody looks for, and who waits for it. */
type Part = PromiseWithResolvers<Searched[]> & {
  lists: readonly SearchedList[];
  sought: readonly Sought[];
  tries: number;
};

/** So many are looked for in one go, in some 5 ms: whoever asks for one need not wait for another's hundred. */
const AT_ONCE = 16;
/** A thread has the next part at hand when it is done with one. */
const IN_HAND = 2;
const MOST_TRIES = 2;
const MOST_THREADS = 4;

/**
 * Threads that search lists: none until somebody asks, then one, and another only while all have more than they are at, up to `most` and four;
 * by default one processor is left for whoever asks. The lists are shared memory; a thread adds some 35 MB of its own. One that ends is
 * replaced.
 */
export function createSearch({ log, most = availableParallelism() - 1 }: { log: Logger; most?: number }): Search {
  const threads = new Set<SearchThread<Part>>();
  const waiting: Part[] = [];
  const most_threads = Math.min(Math.max(1, most), MOST_THREADS);
  let closed = false;

  function find(lists: readonly SearchedList[], sought: readonly Sought[]): Promise<Searched[]> {
    const parts: Part[] = [];
    for (let at = 0; at < sought.length; at += AT_ONCE)
      parts.push({ ...Promise.withResolvers(), lists, sought: sought.slice(at, at + AT_ONCE), tries: 0 });
    return inTurn(parts, most_threads + 1, begin).then(found => found.flat());
  }

  function begin(part: Part): Promise<Searched[]> {
    if (closed) return Promise.reject(interrupted());
    waiting.push(part);
    giveOut();
    return part.promise;
  }

  /** Gives what waits to the threads that have least to do, and starts one where all have enough. */
  function giveOut() {
    for (let [part] = waiting; part; [part] = waiting) {
      const [thread] = [...threads]
        .filter(({ ready, in_hand }) => ready() && in_hand().length < IN_HAND)
        .toSorted((a, b) => a.in_hand().length - b.in_hand().length);
      if (!thread) break;
      waiting.shift();
      part.tries += 1;
      thread.begin(part);
    }
    const isStarting = [...threads].some(({ ready }) => !ready());
    if (waiting.length > 0 && !isStarting && threads.size < most_threads && !closed) start();
  }

  function start() {
    const thread: SearchThread<Part> = startSearchThread<Part>({ onFree: giveOut, onEnd });
    threads.add(thread);

    function onEnd(error: Error | null) {
      threads.delete(thread);
      if (closed) return;
      const left = thread.in_hand();
      log.error({ error, parts: left.length }, 'search thread ended');
      for (const part of left) if (part.tries >= MOST_TRIES) part.reject(interrupted());
      waiting.unshift(...left.filter(({ tries }) => tries < MOST_TRIES));
      // One that cannot even start would be started for ever.
      if (!thread.ready() && threads.size === 0) for (const part of waiting.splice(0)) part.reject(interrupted());
      giveOut();
    }
  }

  return {
    find,
    async close() {
      closed = true;
      const left = [...waiting.splice(0), ...[...threads].flatMap(({ in_hand }) => in_hand())];
      for (const part of left) part.reject(interrupted());
      await Promise.all([...threads].map(thread => thread.end()));
    },
  };
}

const interrupted = () => unavailable('The search was interrupted. Ask again.');

/** Runs `act` for each, at most so many at a time; answers in their order. */
async function inTurn<T, R>(items: readonly T[], at_once: number, act: (item: T) => Promise<R>): Promise<R[]> {
  const done: R[] = [];
  let next = 0;
  const lane = async () => {
    for (let at = next++; at < items.length; at = next++) {
      const item = items[at];
      if (item !== undefined) done[at] = await act(item);
    }
  };
  await Promise.all(Array.from({ length: Math.min(at_once, items.length) }, lane));
  return done;
}
