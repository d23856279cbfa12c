import { availableParallelism } from 'node:os';
import { unavailable } from '#shared/interface/errors.ts';
import type { Logger } from '#shared/platform/log.ts';
import { type SearchedList, type SearchThread, startSearchThread, type SearchWork } from './search_thread.ts';
import type { Searched, Sought } from './look.ts';

/** Searches lists in threads of their own. */
export type Search = {
  /**
   * Runs each search and returns the results in order. A search that fails, takes too long or crashes its thread fails alone. Throws
   * `unavailable` when it is closed, and when no thread can be started.
   */
  find(lists: readonly SearchedList[], sought: readonly Sought[]): Promise<Searched[]>;
  /** Ends the threads; waiting callers get `unavailable`. */
  close(): Promise<void>;
};

/** The open rest of a caller's searches, with its results so far. */
type Part = PromiseWithResolvers<Searched[]> & {
  lists: readonly SearchedList[];
  sought: readonly Sought[];
  results: Searched[];
  /** A thread crashed on it. Its searches are run one by one from then on, so that the faulty one fails alone. */
  is_suspect: boolean;
};

/** The work of a thread, with the part it belongs to. */
type Task = SearchWork & { part: Part };

/** Searches run in one go, in about 5 ms, so that a single search need not wait for another caller's hundred. */
const AT_ONCE = 16;
/** Parts a thread has at a time, so that the next one is ready when it finishes one. */
const IN_HAND = 2;
const MOST_THREADS = 4;

/**
 * Threads that search lists: none until the first search, then one, and another only while all are busy, up to `most` and four; by default
 * one processor is left to the caller. Lists are shared memory; a thread adds about 35 MB of its own. A thread that ends is replaced.
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

  /** Gives waiting parts to the least busy threads, and starts another when all are busy. */
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

  /** The rest of a part goes to the end of the queue, behind callers who may want less. */
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
      // A thread that cannot even start would be restarted forever.
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

/** Runs `act` for each item, at most `at_once` at a time; returns the results in order. Starts no more after one was rejected. */
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
