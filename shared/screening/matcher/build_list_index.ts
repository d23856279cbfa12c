import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { asError } from '#shared/interface/errors.ts';
import type { ListEntry } from './entry.ts';
import type { ListIndex } from './list_index.ts';

/** What the thread answers: null to a part that it has taken in, at the end the index. */
export type Built = { index: ListIndex | null };

type Parts = AsyncIterator<readonly string[]>;

/** So many entries are built in some 10 ms; a thread only takes longer to start. */
const FEW = 200;
/** A small young generation: what is built lives on, and a large one would stay with the process as memory that nobody uses. */
const resourceLimits = { maxYoungGenerationSizeMb: 12 };

/**
 * Builds the index of a list, in a thread of its own where it takes long, so that whoever asks goes on answering meanwhile. `entries` are JSON
 * texts, some hundreds or thousands at a time. Throws what `entries` throws, and an Error where the index cannot be built.
 */
export async function buildListIndex(entries: AsyncIterable<readonly string[]>): Promise<ListIndex> {
  const parts = entries[Symbol.asyncIterator]();
  const few: string[] = [];
  for (let part = await parts.next(); ; part = await parts.next()) {
    if (part.done) return buildHere(few);
    few.push(...part.value);
    if (few.length > FEW) return buildInThread(few, parts);
  }
}

async function buildHere(texts: readonly string[]): Promise<ListIndex> {
  // Loaded by those processes alone that have lists.
  const { createIndexBuilder } = await import('./list_index.ts');
  const builder = createIndexBuilder();
  try {
    for (const text of texts) builder.add(JSON.parse(text) as ListEntry, text);
  } catch (error) {
    throw cannotBuild(asError(error).message);
  }
  return builder.finish();
}

async function buildInThread(first: readonly string[], rest: Parts): Promise<ListIndex> {
  const thread = new Worker(new URL('./build_thread.ts', import.meta.url), { resourceLimits });
  const { promise, resolve, reject } = Promise.withResolvers<ListIndex>();
  // An error that comes from another thread is no Error of this one.
  thread.once('error', ({ message }) => reject(cannotBuild(message)));
  thread.once('exit', () => reject(new Error('the thread that builds the index of a list ended')));
  thread.on('message', (built: Built) => built.index && resolve(built.index));
  // Whoever reads the parts may fail first; then nobody waits for the thread any longer.
  promise.catch(() => {});
  try {
    let part: IteratorResult<readonly string[]> = { value: first };
    for (; !part.done; part = await rest.next()) {
      thread.postMessage(part.value);
      // The next part once this one was taken in, so that what waits does not pile up.
      await Promise.race([once(thread, 'message'), promise]);
    }
    thread.postMessage(null);
    return await promise;
  } finally {
    await thread.terminate();
    await rest.return?.();
  }
}

const cannotBuild = (message: string) => new Error(`The index of a list cannot be built: ${message}`);
