import { readFileSync } from 'node:fs';

/** Linux counts in hundredths of a second, whatever the machine. */
const TICK = 10;

/**
 * The processor time, in milliseconds, of a process and of those of its children that have ended and been waited for (proc(5), fields 14 to
 * 17 of `stat`). Null where the system does not tell.
 */
export function processorTime(pid: number | 'self'): number | null {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /, '')
      .split(' ');
    return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) * TICK;
  } catch {
    return null;
  }
}
