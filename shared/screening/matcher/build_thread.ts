import { parentPort } from 'node:worker_threads';
import type { Built } from './build_list_index.ts';
import type { ListEntry } from './entry.ts';
import { createIndexBuilder } from './list_index.ts';

// A thread's whole life: it is sent entries as JSON texts, part by part, then null, and posts their index.
const builder = createIndexBuilder();
parentPort?.on('message', (part: readonly string[] | null) => {
  if (part) for (const text of part) builder.add(JSON.parse(text) as ListEntry, text);
  parentPort?.postMessage({ index: part ? null : builder.finish() } satisfies Built);
});
