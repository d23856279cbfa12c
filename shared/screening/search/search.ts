import { availableParallelism } from 'node:os';
import { unavailable } from '#shared/interface/errors.ts';
import type { Logger } from '#shared/platform/log.ts';
import { type SearchedList, type SearchThread, startSearchThread, type Work } from './search_thread.ts';
import type { Searched, Sought } from './look.ts';

/** Looks for people in lists, in threads beside the one that asks. */
export type Search = {
  /**
   * Looks for each in the lists, and answers in their order. What the matcher fails at, takes too long for or ends a thread over fails alone.
   * Throws `unavailable` when it is closed, and where no thread can be started.
   */
  find(lists: readonly SearchedList[], sought: readonly Sought[]): Promise<Searched[]>;
  /** Ends the threads; whoever waits is answered `unavailable`. */
  close(): Promise<void>;
};

/** A part of what somebody looks for, as far as it is not found, and who waits for it. */
type Part = PromiseWithResolvers<Searched[]> & {
  lists: readonly SearchedList[];
  sought: readonly Sought[];
  results: Searched[];
  /** A thread ended over it. Its questions are asked one by one from then on, so that the one it lies in fails alone. */
  is_suspect: boolean;
};

/** What a thread is given of a part. */
type Task = Work & { part: Part };

/** So many are looked for in one go, in some 5 ms: whoever asks for one need not wait for another's hundred. */
const AT_ONCE = 16;
/** A thread has the next part at hand when it is done with one. */
const IN_HAND = 2;
const MOST_THREADS = 4;

/**
 * Threads that search lists: none until somebody asks, then one, and another only while all have more than they are at, up to `most` and four;
 * by default one processor is left for whoever asks. The lists are shared memory; a thread adds some 35 MB of its own. One that ends is
 * replaced.
 */
export function createSearch({ log, most = availableParallelism() - 1 }: { log: Logger; most?: number }): Search {
  const threads = new Set<SearchThread<Task>>();
  const waiting: Part[] = [];
  const most_threads = Math.min(Math.max(1, most), MOST_THREADS);
  let closed = false;

  function find(lists: readonly SearchedList[], sought: readonly Sought[]): Promise<Searched[]> {
    const parts: Part[] = [];
    for (let at = 0; at < sought.length; at += AT_ONCE)
      parts.push({
        ...Promise.withResolvers(),
        lists,
        sought: sought.slice(at, at + AT_ONCE),
        results: [],
        is_suspect: false,
      });
    return inTurn(parts, most_threads + 1, begin).then(results => results.flat());
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
      thread.begin(taskOf(part));
    }
    const isStarting = [...threads].some(({ ready }) => !ready());
    if (waiting.length > 0 && !isStarting && threads.size < most_threads && !closed) start();
  }

  function taskOf(part: Part): Task {
    const { lists, sought, is_suspect } = part;
    return { part, lists, sought: is_suspect ? sought.slice(0, 1) : sought, take: results => take(part, results) };
  }

  /** What is left of a part waits behind all others, who may have asked for less. */
  function take(part: Part, results: readonly Searched[]) {
    part.results.push(...results);
    part.sought = part.sought.slice(results.length);
    if (part.sought.length === 0) part.resolve(part.results);
    else waiting.push(part);
  }

  function start() {
    const thread: SearchThread<Task> = startSearchThread<Task>({ onFree: giveOut, onEnd });
    threads.add(thread);

    function onEnd(error: Error | null) {
      threads.delete(thread);
      if (closed) return;
      const [at, ...behind] = thread.in_hand().map(({ part }) => part);
      log.error({ error, questions: at?.sought.length ?? 0 }, 'search thread ended');
      waiting.unshift(...behind);
      if (at?.is_suspect) take(at, [{ failed: 'the search thread ended', too_much: true }]);
      else if (at) waiting.push(Object.assign(at, { is_suspect: true }));
      // One that cannot even start would be started for ever.
      if (!thread.ready() && threads.size === 0) for (const part of waiting.splice(0)) part.reject(interrupted());
      giveOut();
    }
  }

  return {
    find,
    async close() {
      closed = true;
      const begun = [...threads].flatMap(({ in_hand }) => in_hand().map(({ part }) => part));
      const unfinished = [...waiting.splice(0), ...begun];
      for (const part of unfinished) part.reject(interrupted());
      await Promise.all([...threads].map(thread => thread.end()));
    },
  };
}

const interrupted = () => unavailable('The search was interrupted. Ask again.');

/** Runs `act` for each, at most so many at a time; answers in their order. Begins no other once one was rejected. */
async function inTurn<T, R>(items: readonly T[], at_once: number, act: (item: T) => Promise<R>): Promise<R[]> {
  const done: R[] = [];
  let next = 0;
  const lane = async () => {
    for (let at = next++; at < items.length; at = next++) {
      const item = items[at];
      if (item === undefined) continue;
      try {
        done[at] = await act(item);
      } catch (error) {
        next = items.length;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(at_once, items.length) }, lane));
  return done;
}
