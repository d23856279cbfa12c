import { isLostDatabase } from './db.ts';

/** False for a lost connection, a timeout, a lock, a full disk or a standby: those pass, and the same work is tried again. */
export function liesInTheData(error: Error & { code?: unknown }): boolean {
  if (isLostDatabase(error)) return false;
  const { code } = (error.cause instanceof Error ? error.cause : error) as { code?: unknown };
  return typeof code !== 'string' || !/^(25|40|53|55|57|58|XX)/.test(code);
}
