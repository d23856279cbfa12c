import { open } from 'node:fs/promises';

/** A time limit, and `heed`, which is told of a server (its process id) that is starting. */
export type Patience = { signal: AbortSignal; heed: (pid: number) => Promise<void> };

/**
 * A time limit of so many milliseconds that begins anew whenever a starting server says in its log how far it is, as it does every ten seconds while it
 * replays what a crash left unfinished (PostgreSQL's log_startup_progress_interval): gigabytes may take minutes. Only the first server is
 * waited for like that: one that dies of it would die again. `say` hears that it goes on.
 */
export function patienceOf(limit_ms: number, log_file: string, say: (message: string) => void): Patience {
  const over = new AbortController();
  const wait = () => setTimeout(() => over.abort(), limit_ms).unref();
  let timer = wait();
  let waited_for: { pid: number; read: number } | undefined;
  return {
    signal: over.signal,
    async heed(pid) {
      waited_for ??= { pid, read: (await writtenAfter(log_file, Infinity)).to };
      if (waited_for.pid !== pid) return;
      const { text, to } = await writtenAfter(log_file, waited_for.read);
      waited_for.read = to;
      const [, seconds] = progress.exec(text) ?? [];
      if (seconds === undefined) return;
      clearTimeout(timer);
      timer = wait();
      say(`PostgreSQL was not stopped properly and has been recovering for ${seconds} s`);
    },
  };
}

/** What PostgreSQL says of each step that takes long, such as “redo in progress, elapsed time: 10.00 s, current LSN: 0/CD16D450”. */
const progress = /elapsed time: (\d+)\.\d+ s/;

/** What a file has after so many bytes, at most 8 KB of it, and its length; of one that cannot be read nothing. */
async function writtenAfter(path: string, from: number): Promise<{ text: string; to: number }> {
  const file = await open(path, 'r').catch(() => null);
  if (!file) return { text: '', to: 0 };
  try {
    const { size } = await file.stat();
    const length = Math.max(0, Math.min(size - from, 8_192));
    const { buffer } = await file.read(Buffer.alloc(length), 0, length, size - length);
    return { text: buffer.toString('utf8'), to: size };
  } finally {
    await file.close();
  }
}
