import { parentPort } from 'node:worker_threads';
import type { LoadedList } from '#shared/screening/matcher/screen.ts';
import { look } from './look.ts';
import type { Answer, Task } from './search_thread.ts';

// A thread's whole life: it is sent lists, and whom to look for in them, and posts what it found. It says `null` when it is ready.
const held = new Map<string, LoadedList>();
parentPort?.on('message', ({ id, dropped, added, lists, sought }: Task) => {
  for (const key of dropped) held.delete(key);
  for (const { key, list } of added) held.set(key, list);
  const results = look(lists.map(listHeld), sought);
  parentPort?.postMessage({ id, results } satisfies Answer);
});

/** What is not here must not count as searched: the thread ends, and another one is sent everything. */
function listHeld(key: string): LoadedList {
  const list = held.get(key);
  if (!list) throw new Error(`the list ${key} was not sent`);
  return list;
}

parentPort?.postMessage(null);
