import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { ListIndex } from './list_index.ts';

/** What the thread answers: null to a part that it has taken in, at the end the index. */
export type Built = { index: ListIndex | null };

/** A small young generation: what is built lives on, and a large one would stay with the process as memory that nobody uses. */
const resourceLimits = { maxYoungGenerationSizeMb: 12 };

/**
 * Builds the index of a list in a thread of its own, so that whoever asks goes on answering meanwhile. `parts` are entries as JSON texts,
 * some hundreds or thousands at a time. Throws what `parts` throws, and an Error where the thread cannot build.
 */
export async function buildListIndexInThread(parts: AsyncIterable<readonly string[]>): Promise<ListIndex> {
  const thread = new Worker(new URL('./build_thread.ts', import.meta.url), { resourceLimits });
  const { promise, resolve, reject } = Promise.withResolvers<ListIndex>();
  // An error that comes from another thread is no Error of this one.
  thread.once('error', ({ message }) => reject(new Error(`The index of a list cannot be built: ${message}`)));
  thread.once('exit', () => reject(new Error('the thread that builds the index of a list ended')));
  thread.on('message', (built: Built) => built.index && resolve(built.index));
  // Whoever reads the parts may fail first; then nobody waits for the thread any longer.
  promise.catch(() => {});
  try {
    for await (const part of parts) {
      thread.postMessage(part);
      // The next part once this one was taken in, so that what waits does not pile up.
      await Promise.race([taken(thread), promise]);
    }
    thread.postMessage(null);
    return await promise;
  } finally {
    await thread.terminate();
  }
}

const taken = (thread: Worker): Promise<unknown> => once(thread, 'message');
