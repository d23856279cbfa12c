import { Worker } from 'node:worker_threads';
import { LRUCache } from 'lru-cache';
import { EVERYBODY } from '#shared/screening/store/screening_lists.ts';
import type { LoadedList } from '#shared/screening/matcher/screen.ts';
import { MINUTE, SECOND } from '#shared/values/time.ts';
import type { Searched, Sought } from './look.ts';

/** A list that can be searched, with whose it is. */
export type SearchedList = LoadedList & { org_id: string };

/** What a thread is sent: lists by key that it is to keep or to forget, and what to look for in which of those it has. */
export type Task = {
  id: number;
  dropped: readonly string[];
  added: readonly { key: string; list: LoadedList }[];
  lists: readonly string[];
  sought: readonly Sought[];
};
export type Answer = { id: number; results: Searched[] };

/** Whom a thread is to look for, and who takes what it found: of the first of them at least. */
export type Work = {
  lists: readonly SearchedList[];
  sought: readonly Sought[];
  take(results: Searched[]): void;
};

export type SearchThread<W extends Work> = {
  /** Whether it takes work. */
  ready(): boolean;
  /** What it was given and has not answered, first what it is at. */
  in_hand(): readonly W[];
  begin(work: W): void;
  end(): Promise<unknown>;
};

/** A list that nobody looked in for so long is dropped, and so are organizations' own beyond so many entries. */
const KEPT = 15 * MINUTE;
const MOST_OWN_ENTRIES = 1_000_000;
/** A thread gives way after some milliseconds, and leaves a question after two seconds. One that does not has gone astray. */
const LONGEST = 30 * SECOND;
/** A small young generation: what a search leaves behind is short-lived, and a large one would stay as memory that nobody uses. */
const resourceLimits = { maxYoungGenerationSizeMb: 16 };

/**
 * Starts a thread that searches lists. It has of each list the version it was given last. `onFree` is called whenever it can take more,
 * `onEnd` once when it has ended, whatever it had in hand then.
 */
export function startSearchThread<W extends Work>({
  onFree,
  onEnd,
}: {
  onFree: () => void;
  onEnd: (error: Error | null) => void;
}): SearchThread<W> {
  const worker = new Worker(new URL('./thread.ts', import.meta.url), { resourceLimits });
  const in_hand = new Map<number, W>();
  let dropped: string[] = [];
  const held = new LRUCache<string, SearchedList>({
    ttl: KEPT,
    updateAgeOnGet: true,
    maxSize: MOST_OWN_ENTRIES,
    sizeCalculation: ({ org_id, index }) =>
      org_id === EVERYBODY ? 1 : 1 + Math.min(index.entry_count, MOST_OWN_ENTRIES / 2),
    dispose: (_, key, reason) => reason !== 'set' && dropped.push(key),
  });
  let isReady = false;
  let error: Error | null = null;
  let turn = 0;

  worker.on('message', (answer: Answer | null) => {
    if (answer === null) isReady = true;
    else {
      const work = in_hand.get(answer.id);
      in_hand.delete(answer.id);
      clearTimeout(watch);
      if (in_hand.size > 0) watch = patience();
      work?.take(answer.results);
    }
    onFree();
  });
  // What comes from another thread is no Error of this one.
  worker.once('error', ({ message }) => (error = new Error(message)));
  worker.once('exit', () => {
    clearTimeout(watch);
    onEnd(error);
  });
  const patience = () => setTimeout(() => worker.terminate(), LONGEST).unref();
  let watch: NodeJS.Timeout = patience();

  return {
    ready: () => isReady,
    in_hand: () => [...in_hand.values()],
    begin(work) {
      held.purgeStale();
      const added = work.lists.flatMap(({ org_id, name, version, index }) => {
        const key = keyOf({ org_id, name });
        if (held.get(key)?.index === index) return [];
        held.set(key, { org_id, name, version, index });
        return [{ key, list: { name, version, index } }];
      });
      const lists = work.lists.map(keyOf);
      // To make room for one of these lists, another of them may have been dropped: it goes with the next task.
      const task: Task = {
        id: (turn += 1),
        dropped: dropped.filter(key => !held.has(key) && !lists.includes(key)),
        added,
        lists,
        sought: work.sought,
      };
      dropped = dropped.filter(key => lists.includes(key));
      if (in_hand.size === 0) {
        clearTimeout(watch);
        watch = patience();
      }
      in_hand.set(task.id, work);
      worker.postMessage(task);
    },
    end: () => worker.terminate(),
  };
}

const keyOf = ({ org_id, name }: Pick<SearchedList, 'org_id' | 'name'>) => `${org_id} ${name}`;
