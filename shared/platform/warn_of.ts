import { isLostDatabase } from './db.ts';
import type { Logger } from './log.ts';
import { Away } from './outage.ts';

/** Warns of work that failed and is tried again, unless that was for want of the database or of Redis, which is told once for all. */
export function warnOf(log: Logger, error: unknown, message: string, ids: Record<string, string> = {}): void {
  const isTold = error instanceof Away || (error instanceof Error && isLostDatabase(error));
  log[isTold ? 'debug' : 'warn']({ error, ...ids }, `${message}; it is tried again`);
}
