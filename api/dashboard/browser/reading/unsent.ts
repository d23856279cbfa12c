import type { ArgsOf, Operation } from '#api/client/call.ts';
import { change } from './operations.ts';
import { Problem, problemOf } from './problem.ts';
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
/** The service knows for a day what it has done under a key; sent later, it could be done twice. */
const LONGEST_KNOWN = 23 * 3_600_000;

/** Why each of those that were sent was not done, by its key. */
const failed = new Map<string, Problem>();
const watchers = new Set<() => void>();

/** What a browser that keeps nothing would lose. */
let in_memory: Unsent[] = [];

function readUnsent(): Unsent[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(NAME) ?? '[]');
    return Array.isArray(kept) && in_memory.length === 0 ? (kept as Unsent[]) : in_memory;
  } catch {
    return in_memory;
  }
}

function write(all: Unsent[]): void {
  try {
    if (all.length === 0) localStorage.removeItem(NAME);
    else localStorage.setItem(NAME, JSON.stringify(all));
    in_memory = [];
  } catch {
    // Then it is lost with the page, and only then.
    in_memory = all;
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

/** Whether a change is still kept: nobody sent or undid it, in this tab or another. */
export const isUnsent = (key: string): boolean => readUnsent().some(unsent => unsent.key === key);

/** Sends all that a reader decided, as before they sign out; answers what could not be saved. */
export async function sendAllUnsent(reader: string): Promise<Unsent[]> {
  const mine = () => readUnsent().filter(unsent => unsent.reader === reader);
  for (const unsent of mine()) await sendUnsent(unsent);
  return mine();
}

/** Forgets all that a reader decided, in every organization: they signed out, and the browser may not be theirs alone. */
export function forgetUnsentOf(user_id: string): void {
  failed.clear();
  write(readUnsent().filter(({ reader }) => reader.split(' ')[0] !== user_id));
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

/**
 * Sends what another page of this reader held when it was closed, now or once that page can no longer be at it, until the returned function
 * is called. Of what is too old nobody knows whether it was done: `failuresOf` tells of it.
 */
export function sendLeftBehind(reader: string): () => void {
  const mine = readUnsent().filter(unsent => unsent.reader === reader);
  const timers = mine.map(({ key, until }) =>
    window.setTimeout(() => void alone(() => sendAgain(key)), Math.max(0, until + LONGEST_SENDING - Date.now())),
  );
  return () => timers.forEach(timer => clearTimeout(timer));
}

async function sendAgain(key: string): Promise<void> {
  const unsent = readUnsent().find(each => each.key === key);
  if (!unsent) return;
  if (Date.now() < unsent.until + LONGEST_KNOWN) return sendUnsent(unsent);
  failed.set(key, unknownOutcome());
  for (const changed of watchers) changed();
}

/** One tab after the other, where the browser can tell. */
const alone = (act: () => Promise<void>): Promise<void> =>
  'locks' in navigator ? navigator.locks.request(NAME, act) : act();

const unknownOutcome = () =>
  new Problem(409, {
    error: { code: 'conflict', message: 'The page was closed before the service answered.' },
    request_id: '',
  });

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
