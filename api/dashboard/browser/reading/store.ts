import type { ArgsOf, DataOf, Operation } from '#api/client/call.ts';
import { ask } from './operations.ts';
import { type Problem, problemOf } from './problem.ts';

/** What is known of one answer of the API, and how fresh it is. `as_of`: when it was last asked and answered, in milliseconds. */
export type Reading<T> = { data: T | null; problem: Problem | null; as_of: number | null };

type Entry = Reading<unknown> & {
  ask: () => Promise<{ data: unknown; tag: string | null } | null>;
  tag: string | null;
  /** Who looks at it, and how often each wants it asked for. Nobody: it is only remembered. */
  watchers: Map<() => void, number>;
  timer: number | undefined;
  asking: Promise<void> | undefined;
  /** Asked for again while an answer was on its way: that one may be of before. */
  again: boolean;
  failures: number;
};

const entries = new Map<string, Entry>();
/** Records by their ids, as they were last answered where several are asked for at once; null: there is no such record. */
export const records = new Map<string, unknown>();
let onSignedOut: (byItself: boolean) => void = () => {};
/** Moved on when everything is forgotten: what was asked before is answered to somebody else. */
let reader = 0;
const troubleWatchers = new Set<() => void>();

/** More than are shown at once; the ones answered longest ago go first. */
const MOST_RECORDS = 5_000;

/** Remembers a record as it was answered just now. */
export function rememberRecord(id: string, record: unknown): void {
  records.delete(id);
  records.set(id, record);
  const [oldest] = records.keys();
  if (records.size > MOST_RECORDS && oldest !== undefined) records.delete(oldest);
}

/** Answers nobody looks at are remembered, so that going back shows them at once; the ones unused longest go first. */
const MOST_REMEMBERED = 60;
const LONGEST_WAIT = 60_000;
/** What was asked for a moment ago is not asked for again only because something else shows it too. */
const FRESH = 2_000;

/** The name under which an answer is known: the operation and what it is asked with. */
export const keyOf = <O extends Operation>(operation: O, args: ArgsOf<O>): string =>
  `${operation} ${JSON.stringify(args)}`;

export function readingOf<T>(key: string): Reading<T> {
  return (entries.get(key) as Reading<T> | undefined) ?? nothing;
}

const nothing = { data: null, problem: null, as_of: null };

/**
 * Looks at an answer until the returned function is called: asks now, and again every `every` milliseconds while the page is to be
 * seen, with the ETag of what is known; `changed` is called when there is something new. What several look at is asked for once.
 */
export function watch<O extends Operation>(
  operation: O,
  args: ArgsOf<O>,
  every: number,
  changed: () => void,
): () => void {
  const key = keyOf(operation, args);
  const entry: Entry = entries.get(key) ?? {
    ...nothing,
    ask: () => ask(operation, args, entry.tag),
    tag: null,
    watchers: new Map(),
    timer: undefined,
    asking: undefined,
    again: false,
    failures: 0,
  };
  entries.delete(key);
  entries.set(key, entry);
  forgetOldest();
  entry.watchers.set(changed, every);
  const isFresh = entry.as_of !== null && Date.now() - entry.as_of < FRESH;
  if (isFresh) schedule(entry);
  else if (!entry.asking) void refresh(entry);
  return () => {
    entry.watchers.delete(changed);
    if (entry.watchers.size === 0) clearTimeout(entry.timer);
  };
}

/** Asks again for everything that is looked at: something was changed. Resolves when all have been answered. */
export async function refreshAll(): Promise<void> {
  // What nobody looks at now is asked for when somebody does, however fresh it is.
  for (const entry of entries.values()) if (entry.watchers.size === 0) entry.as_of = null;
  await Promise.all([...entries.values()].filter(({ watchers }) => watchers.size > 0).map(refresh));
}

/** Puts the answer of a change in the place of what was known, until it is asked for again. */
export function putReading<O extends Operation>(operation: O, args: ArgsOf<O>, data: DataOf<O>): void {
  const entry = entries.get(keyOf(operation, args));
  if (!entry) return;
  Object.assign(entry, { data, tag: null });
  tell(entry);
}

/** Forgets everything: somebody else is signed in now, or nobody. */
export function forgetAll(): void {
  reader += 1;
  records.clear();
  for (const [key, { watchers, timer }] of entries) {
    clearTimeout(timer);
    if (watchers.size === 0) entries.delete(key);
  }
  for (const entry of entries.values()) Object.assign(entry, nothing, { tag: null, failures: 0 });
}

/** What is on its way is of a session that is over, or of the one before: its refusal says nothing of the present one. */
export function disownAnswers(): void {
  reader += 1;
}

/** The session is over: somebody ended it here. */
export const signedOut = (): void => onSignedOut(false);

/** Hears of it when the session is over: somebody ended it here, or, `byItself`, the API says so. */
export function whenSignedOut(act: (byItself: boolean) => void): void {
  onSignedOut = act;
}

let onStale = () => {};

/** The API wants to be shown the second factor again before it makes a change. */
export const wantsFactorAgain = (): void => onStale();

/** Hears of it when the second factor is to be shown again. */
export function whenFactorIsStale(act: () => void): void {
  onStale = act;
}

/** What keeps answers that are shown from being brought up to date, with the time they are of; null while they are. */
export function troubleOf(): { problem: Problem; as_of: number } | null {
  const late = [...entries.values()].flatMap(({ watchers, data, problem, as_of }) =>
    watchers.size > 0 && data !== null && problem?.passes ? [{ problem, as_of: as_of ?? 0 }] : [],
  );
  return late.toSorted((a, b) => a.as_of - b.as_of)[0] ?? null;
}

/** Calls `changed` whenever something was answered, or was not, until the returned function is called. */
export function watchTrouble(changed: () => void): () => void {
  troubleWatchers.add(changed);
  return () => void troubleWatchers.delete(changed);
}

function refresh(entry: Entry): Promise<void> {
  clearTimeout(entry.timer);
  if (entry.asking) {
    entry.again = true;
    return entry.asking;
  }
  entry.asking = answered(entry).finally(() => {
    entry.asking = undefined;
  });
  return entry.asking;
}

async function answered(entry: Entry): Promise<void> {
  do {
    entry.again = false;
    const asker = reader;
    try {
      const answer = await entry.ask();
      if (asker !== reader) {
        entry.again = entry.watchers.size > 0;
        continue;
      }
      const isBack = entry.failures > 0;
      if (answer) Object.assign(entry, answer);
      Object.assign(entry, { problem: null, as_of: Date.now(), failures: 0 });
      if (isBack) askAgain();
    } catch (thrown) {
      if (asker !== reader) continue;
      const problem = problemOf(thrown);
      Object.assign(entry, { problem, failures: entry.failures + 1 });
      if (problem.status === 401) onSignedOut(true);
    }
  } while (entry.again);
  tell(entry);
  schedule(entry);
}

/** The service answers again: what still waits to be asked for need not. */
function askAgain(): void {
  for (const entry of entries.values())
    if (entry.watchers.size > 0 && entry.problem?.status === 0 && !entry.asking) void refresh(entry);
}

function tell({ watchers }: Entry): void {
  for (const changed of [...watchers.keys(), ...troubleWatchers]) changed();
}

/** A fifth more or less, so that many pages do not ask in step; longer and longer while the API fails; not while nobody can see it. */
function schedule(entry: Entry): void {
  clearTimeout(entry.timer);
  if (entry.watchers.size === 0 || document.hidden) return;
  const { problem, failures } = entry;
  if (problem && !problem.passes) return;
  const every = Math.min(...entry.watchers.values());
  if (every === Infinity && failures === 0) return;
  const wait =
    failures === 0 ? every : Math.max(problem?.retry_after ?? 0, Math.min(1_000 * 2 ** failures, LONGEST_WAIT));
  entry.timer = window.setTimeout(() => void refresh(entry), wait * (0.8 + Math.random() * 0.4));
}

function forgetOldest(): void {
  for (const [key, { watchers }] of entries) {
    if (entries.size <= MOST_REMEMBERED) return;
    if (watchers.size === 0) entries.delete(key);
  }
}

addEventListener('online', () => void refreshAll());
document.addEventListener('visibilitychange', () => {
  if (!document.hidden) void refreshAll();
});
