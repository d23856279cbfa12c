import { flushCompileCache } from 'node:module';
import { asError } from '#shared/interface/errors.ts';
import { SECOND } from '#shared/values/time.ts';

/** The longest a process takes to stop. Unfinished work stays in Postgres, and the next process resumes it. */
const STOP_WITHIN = 25 * SECOND;
/** At a terminal Ctrl-C comes twice: to the whole group, and passed on by npm. */
const ONE_SIGNAL = SECOND;
const LONG = 2 ** 31 - 1;

type Close = () => Promise<unknown>;

/** Opened resources, closed once and in reverse order. `add` throws when a stop was requested meanwhile. */
export function openedUntil(stopping?: AbortSignal): { add(close: Close): void; close(): Promise<void> } {
  const opened: Close[] = [];
  return {
    add(close) {
      opened.push(close);
      stopping?.throwIfAborted();
    },
    async close() {
      for (const close of opened.splice(0).toReversed()) await close();
    },
  };
}

/**
 * Starts, waits for the first SIGINT or SIGTERM, stops with what `start` returned, and exits 0; a second signal, or too long a
 * stop, exits 1. A signal during the start aborts `stopping`, upon which `start` closes what it has opened and throws.
 */
export async function runUntilSignal(
  start: (stopping: AbortSignal) => Promise<Close>,
  say: (line: string) => void = () => {},
): Promise<never> {
  const stopping = new AbortController();
  const { promise: signaled, resolve } = Promise.withResolvers<void>();
  let since = 0;
  const handle = () => {
    if (stopping.signal.aborted) {
      if (performance.now() - since > ONE_SIGNAL) process.exit(1);
      return;
    }
    since = performance.now();
    setTimeout(() => process.exit(1), STOP_WITHIN).unref();
    say('Stopping…');
    stopping.abort();
    resolve();
  };
  process.on('SIGINT', handle);
  process.on('SIGTERM', handle);
  // A process type that only waits must not end for lack of work.
  const waiting = setInterval(() => {}, LONG);
  let started = false;
  try {
    const stop = await start(stopping.signal);
    started = true;
    // Written now, since the process may be killed: the next start reuses the compiled code.
    flushCompileCache();
    await signaled;
    await stop();
  } catch (error) {
    // A start that is told to stop may fail in any way: Ctrl-C also reaches the programs it runs.
    if (started || !stopping.signal.aborted) {
      process.stderr.write(`${asError(error).message}\n`);
      process.exit(1);
    }
  }
  clearInterval(waiting);
  say('Stopped.');
  process.exit(0);
}
