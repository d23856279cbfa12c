import { setTimeout as pause } from 'node:timers/promises';
import { asError } from '#shared/interface/errors.ts';
import { troubleOfDatabase } from '#shared/platform/db.ts';
import { SECOND } from '#shared/values/time.ts';

/** A claim may end sooner: then, once the database is back, another process may act on it first, and repeat what was done. */
const PATIENCE = 20 * SECOND;
const EVERY = SECOND / 4;

/**
 * Writes down what has happened outside, such as the answer of an endpoint. While the database is away, full or read-only it tries again, so that
 * nothing is done twice for want of a record. Throws the database's error after 20 seconds, or when the process is to stop.
 */
export async function insist<T>(write: () => Promise<T>, stopping: AbortSignal): Promise<T> {
  const end = performance.now() + PATIENCE;
  for (;;) {
    try {
      return await write();
    } catch (error) {
      const may_pass = troubleOfDatabase(asError(error)) !== null;
      if (!may_pass || stopping.aborted || performance.now() >= end) throw error;
      await pause(EVERY, undefined, { signal: stopping }).catch(() => {});
    }
  }
}
