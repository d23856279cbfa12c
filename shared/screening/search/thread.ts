import { parentPort } from 'node:worker_threads';
import type { LoadedList } from '#shared/screening/matcher/screen.ts';
import { look } from './look.ts';
import type { Answer, Task } from './search_thread.ts';

// A thread's whole life: it is sent lists, and whom to look for in them, and posts what it found. It says `null` when it is ready.
const held = new Map<string, LoadedList>();
parentPort?.on('message', ({ id, dropped, added, lists, sought }: Task) => {
  for (const key of dropped) held.delete(key);
  for (const { key, list } of added) held.set(key, list);
  const found = look(
    lists.flatMap(key => held.get(key) ?? []),
    sought,
  );
  parentPort?.postMessage({ id, found } satisfies Answer);
});
parentPort?.postMessage(null);
