import type { ArgsOf, Operation } from '#api/client/call.ts';
import { change } from './operations.ts';
import { type Problem, problemOf } from './problem.ts';
import { refreshAll, wantsFactorAgain } from './store.ts';

/**
 * A change that was decided on and may still be undone, or was sent and not yet answered. It is kept in the browser, so that it is not lost
 * with the page. `reader`: whose it is. `until`: when it can no longer be undone, in milliseconds.
 */
export type Unsent = {
  key: string;
  text: string;
  path: string;
  operation: Operation;
  args: ArgsOf<Operation>;
  reader: string;
  until: number;
};

const NAME = 'unsent';
/** Longer than another tab takes to send what it holds. */
const LONGEST_SENDING = 90_000;

/** Why each of those that were sent was not done, by its key. */
const failed = new Map<string, Problem>();
const watchers = new Set<() => void>();

function readUnsent(): Unsent[] {
  try {
    return JSON.parse(localStorage.getItem(NAME) ?? '[]') as Unsent[];
  } catch {
    // A browser that keeps nothing, or somebody else's text.
    return [];
  }
}

function write(all: Unsent[]): void {
  try {
    if (all.length === 0) localStorage.removeItem(NAME);
    else localStorage.setItem(NAME, JSON.stringify(all));
  } catch {
    // Then it is lost with the page, and only then.
  }
  for (const changed of watchers) changed();
}

/** Keeps a change until it is answered or forgotten. */
export const keepUnsent = (unsent: Unsent): void => write([...readUnsent(), unsent]);

/** Forgets a change: it was undone, or the reader knows that it failed. */
export function forgetUnsent(key: string): void {
  failed.delete(key);
  write(readUnsent().filter(unsent => unsent.key !== key));
}

/** Sends a change; under its key it is made once, however often it is sent. What fails stays, and `failuresOf` tells of it. */
export async function sendUnsent({ key, operation, args }: Unsent, { keepalive = false } = {}): Promise<void> {
  try {
    await change(operation, args, key, { keepalive });
    forgetUnsent(key);
  } catch (thrown) {
    const problem = problemOf(thrown);
    if (problem.details.some(({ code }) => code === 'second_factor_stale')) wantsFactorAgain();
    failed.set(key, problem);
    for (const changed of watchers) changed();
  }
  await refreshAll();
}

/** Sends what another page of this reader held when it was closed. */
export function sendLeftBehind(reader: string): void {
  for (const unsent of readUnsent())
    if (unsent.reader === reader && unsent.until + LONGEST_SENDING < Date.now()) void sendUnsent(unsent);
}

/** The changes of a reader that were sent and not done, and why. */
export const failuresOf = (reader: string): { unsent: Unsent; problem: Problem }[] =>
  readUnsent().flatMap(unsent => {
    const problem = failed.get(unsent.key);
    return unsent.reader === reader && problem ? [{ unsent, problem }] : [];
  });

/** Calls `changed` when something is kept, done or has failed, until the returned function is called. */
export function watchUnsent(changed: () => void): () => void {
  watchers.add(changed);
  return () => void watchers.delete(changed);
}
