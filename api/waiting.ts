import type { Caller } from './caller.ts';
import { Problem } from '#shared/interface/errors.ts';
import { noVersions, type Versions, type VersionSource, versionText } from '#shared/interface/versions.ts';
import type { Logger } from '#shared/platform/log.ts';
import { pause } from '#shared/platform/pause.ts';
import { SECOND } from '#shared/values/time.ts';

/** Requests that wait for news. */
export type Waiting = {
  /**
   * Answers with what `look` finds, at once when it is news. Otherwise looks again when one of the counters `of` has moved, until the
   * time is over, the client is gone or the process stops; then with what it found last. `waited` is in milliseconds. It holds no
   * database connection meanwhile. Throws `rate_limited` when the credential has too many requests that wait.
   */
  forNews<T>(caller: Caller, patience: Patience, look: () => Promise<T>): Promise<{ answer: T; waited: number }>;
  /** Answers everybody who waits, and lets nobody wait any more. */
  close(): Promise<void>;
};

type Patience = { seconds: number; of: readonly VersionSource[]; gone: AbortSignal };

/** How many requests of one credential may wait in this process. */
const MOST_WAITING = 50;
/** How long lies between two looks at the counters, which are one query for all who wait. */
const LOOK_EVERY = 100;
/** Who found nothing new in what had moved looks again no sooner than this. */
const LOOK_AGAIN = SECOND;
const MOST_ORGANIZATIONS = 1_000;

type Waiter = { of: readonly VersionSource[]; text: string; not_before: number; end(moved: boolean): void };

/** `versionsOf` reads the counters of one organization as they are now, `readAll` those of many. */
export function createWaiting(
  versionsOf: (org_id: string) => Promise<Versions | undefined>,
  readAll: (org_ids: string[]) => Promise<ReadonlyMap<string, Versions>>,
  log: Logger,
): Waiting {
  const waiters = new Map<string, Set<Waiter>>();
  const held = new Map<string, number>();
  let watching: Promise<void> | null = null;
  let closed = false;

  async function watch() {
    while (waiters.size > 0) {
      await pause(LOOK_EVERY);
      const org_ids = [...waiters.keys()];
      for (let from = 0; from < org_ids.length; from += MOST_ORGANIZATIONS)
        await look(org_ids.slice(from, from + MOST_ORGANIZATIONS));
    }
    watching = null;
  }

  async function look(org_ids: string[]) {
    try {
      const versions = await readAll(org_ids);
      const now = performance.now();
      for (const org_id of org_ids)
        for (const waiter of waiters.get(org_id) ?? [])
          if (waiter.not_before <= now && versionText(versions.get(org_id) ?? noVersions, waiter.of) !== waiter.text)
            waiter.end(true);
    } catch (error) {
      log.debug({ error }, 'counters of waiting requests not read');
    }
  }

  /** Whether the counters have moved from `text` within so many milliseconds. */
  function moved(org_id: string, { of, gone }: Patience, text: string, not_before: number, ms: number) {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const waiter: Waiter = { of, text, not_before, end: resolve };
    const peers = waiters.get(org_id) ?? new Set();
    waiters.set(org_id, peers.add(waiter));
    watching ??= watch();
    const giveUp = () => resolve(false);
    const timer = setTimeout(giveUp, ms);
    gone.addEventListener('abort', giveUp);
    return promise.finally(() => {
      clearTimeout(timer);
      gone.removeEventListener('abort', giveUp);
      peers.delete(waiter);
      if (peers.size === 0) waiters.delete(org_id);
    });
  }

  function hold(credential: string): () => void {
    const count = held.get(credential) ?? 0;
    if (count >= MOST_WAITING)
      throw new Problem('rate_limited', `At most ${MOST_WAITING} requests of a credential wait at once.`, {
        headers: { 'Retry-After': '1' },
        quiet: true,
      });
    held.set(credential, count + 1);
    return () => {
      const remaining = (held.get(credential) ?? 1) - 1;
      if (remaining > 0) held.set(credential, remaining);
      else held.delete(credential);
    };
  }

  return {
    async forNews(caller, patience, look) {
      const { org_id } = caller;
      const until = performance.now() + patience.seconds * SECOND;
      const release = hold(caller.kind === 'key' ? caller.actor_id : caller.session_id);
      let waited = 0;
      try {
        for (let not_before = 0; ; not_before = performance.now() + LOOK_AGAIN) {
          // The counters come first: what arrives after them moves them, and what arrived before is found.
          const text = versionText((await versionsOf(org_id)) ?? noVersions, patience.of);
          const answer = await look();
          const begun = performance.now();
          if (!isEmpty(answer) || closed || patience.gone.aborted || begun >= until) return { answer, waited };
          const has_moved = await moved(org_id, patience, text, not_before, until - begun);
          waited += performance.now() - begun;
          if (!has_moved) return { answer, waited };
        }
      } finally {
        release();
      }
    },
    async close() {
      closed = true;
      for (const peers of waiters.values()) for (const waiter of peers) waiter.end(false);
      await watching;
    },
  };
}

/** Whether an answer is a page without rows, and the last. */
const isEmpty = (answer: unknown) =>
  typeof answer === 'object' &&
  answer !== null &&
  'data' in answer &&
  Array.isArray(answer.data) &&
  answer.data.length === 0 &&
  !('next_cursor' in answer && answer.next_cursor);
