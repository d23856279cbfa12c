import { stat } from 'node:fs/promises';

/** A time limit, and `heed`, which is told of a server (its process id) that is still starting. */
export type Patience = { signal: AbortSignal; heed: (pid: number) => Promise<void> };

/**
 * A time limit of so many milliseconds that begins anew when a starting server writes to its log, as it does every ten seconds while it
 * replays what a crash left unfinished (PostgreSQL's log_startup_progress_interval): gigabytes may take minutes. Only the first server is
 * waited for like that: one that dies of it would die again. `say` hears that it goes on.
 */
export function patienceOf(limit_ms: number, log_file: string, say: (message: string) => void): Patience {
  const over = new AbortController();
  const wait = () => setTimeout(() => over.abort(), limit_ms).unref();
  let timer = wait();
  let waited_for: { pid: number; since: number; written: number } | undefined;
  return {
    signal: over.signal,
    async heed(pid) {
      const written = (await stat(log_file).catch(() => null))?.size ?? 0;
      waited_for ??= { pid, since: performance.now(), written };
      if (waited_for.pid !== pid || written <= waited_for.written) return;
      waited_for.written = written;
      clearTimeout(timer);
      timer = wait();
      const seconds = Math.round((performance.now() - waited_for.since) / 1000);
      if (seconds >= LONG) say(`PostgreSQL has been recovering from a crash for ${seconds} s`);
    },
  };
}

/** From so many seconds on people wonder. */
const LONG = 5;
