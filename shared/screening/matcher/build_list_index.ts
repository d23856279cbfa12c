import { once } from 'node:events';
import { setFlagsFromString } from 'node:v8';
import { Worker } from 'node:worker_threads';
import { asError } from '#shared/interface/errors.ts';
import type { ListEntry } from './entry.ts';
import type { ListIndex } from './list_index.ts';

/** The thread's answers: null for each part that it has added, the index at the end. */
export type Built = { index: ListIndex | null };

type Parts = AsyncIterator<readonly string[]>;

/** A list of this size is built in about 10 ms; starting a thread takes longer. */
const FEW = 200;
/** A small young generation: most of the index survives, and a large one would remain as unused memory of the process. */
const resourceLimits = { maxYoungGenerationSizeMb: 12 };
/** In megabytes: a million entries take more than `web` has for requests. The thread gives it back when it ends. */
const MOST_MEMORY = 4_096;

/**
 * Builds the index of a list, in a thread if that takes long, so that the process stays responsive. `entries` are JSON texts, some hundreds
 * or thousands at a time. Throws what `entries` throws, and an Error when the index cannot be built.
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
  // Only processes with lists load it.
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
  // A flag of the process wins over the limits of a thread. What the process itself has was settled when it started.
  setFlagsFromString(`--max-old-space-size=${MOST_MEMORY}`);
  const thread = new Worker(new URL('./build_thread.ts', import.meta.url), { resourceLimits });
  const { promise, resolve, reject } = Promise.withResolvers<ListIndex>();
  // An error from another thread is not an instance of this one's Error.
  thread.once('error', ({ message }) => reject(cannotBuild(message)));
  thread.once('exit', () => reject(new Error('the thread that builds the index of a list ended')));
  thread.on('message', (built: Built) => built.index && resolve(built.index));
  // The reader of the parts may fail first; then nothing awaits the thread.
  promise.catch(() => {});
  try {
    let part: IteratorResult<readonly string[]> = { value: first };
    for (; !part.done; part = await rest.next()) {
      thread.postMessage(part.value);
      // Sends the next part only once this one was added, so that parts do not pile up.
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
