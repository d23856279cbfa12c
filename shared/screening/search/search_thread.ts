import { Worker } from 'node:worker_threads';
import { LRUCache } from 'lru-cache';
import { EVERYBODY } from '#shared/screening/store/screening_lists.ts';
import type { LoadedList } from '#shared/screening/matcher/screen.ts';
import { MINUTE, SECOND } from '#shared/values/time.ts';
import type { Searched, Sought } from './look.ts';

/** A searchable list with the organization it belongs to. */
export type SearchedList = LoadedList & { org_id: string };

/** A message to a thread: lists to keep or drop, by key, and what to search in which lists. */
export type Task = {
  id: number;
  dropped: readonly string[];
  added: readonly { key: string; list: LoadedList }[];
  lists: readonly string[];
  sought: readonly Sought[];
};
export type ThreadAnswer = { id: number; results: Searched[] };

/** Searches for a thread, and who takes the results: those of at least the first search. */
export type SearchWork = {
  lists: readonly SearchedList[];
  sought: readonly Sought[];
  take(results: Searched[]): void;
};

export type SearchThread<W extends SearchWork> = {
  /** Whether it accepts work. */
  ready(): boolean;
  /** Its unanswered work, the current one first. */
  in_hand(): readonly W[];
  begin(work: W): void;
  end(): Promise<unknown>;
};

/** How long an unused list is kept, and how many entries of organizations' own lists. */
const KEPT = 15 * MINUTE;
const MOST_OWN_ENTRIES = 1_000_000;
/** A thread yields after some milliseconds and gives up a search after two seconds. One that does not is stuck. */
const LONGEST = 30 * SECOND;
/** A small young generation: a search's garbage is short-lived, and a large one would remain as unused memory. */
const resourceLimits = { maxYoungGenerationSizeMb: 16 };

/**
 * Starts a thread that searches lists. It keeps the latest version it was given of each list. `onFree` is called whenever it can take more,
 * `onEnd` once when it has ended, whatever its work then.
 */
export function startSearchThread<W extends SearchWork>({
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

  worker.on('message', (answer: ThreadAnswer | null) => {
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
  // An error from another thread is not an instance of this one's Error.
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
      // One of these lists may have been dropped to make room for another: it is sent with the next task.
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
