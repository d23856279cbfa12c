import { parentPort } from 'node:worker_threads';
import type { LoadedList } from '#shared/screening/matcher/screen.ts';
import { look } from './look.ts';
import type { ThreadAnswer, Task } from './search_thread.ts';

// The thread's whole life: it receives lists and searches, and posts the results. It posts `null` when it is ready.
const held = new Map<string, LoadedList>();
parentPort?.on('message', ({ id, dropped, added, lists, sought }: Task) => {
  for (const key of dropped) held.delete(key);
  for (const { key, list } of added) held.set(key, list);
  const results = look(lists.map(listHeld), sought);
  parentPort?.postMessage({ id, results } satisfies ThreadAnswer);
});

/** A missing list must not count as searched: the thread ends, and a new one receives everything. */
function listHeld(key: string): LoadedList {
  const list = held.get(key);
  if (!list) throw new Error(`the list ${key} was not sent`);
  return list;
}

parentPort?.postMessage(null);
