import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Database } from '#shared/running/services.ts';

/** Microseconds of a clock tick, in which Linux counts CPU time. */
const TICK = 10_000;

/** The CPU time that these processes have used so far, in microseconds; on Linux. */
export const cpuOf = (pids: readonly number[]): number => pids.reduce((sum, pid) => sum + ticks(pid).own * TICK, 0);

/** The same of the embedded database: its postmaster, every backend that is there, and those that have gone. */
export function cpuOfDatabase({ embedded }: Database): number {
  if (!embedded) return 0;
  const postmaster = Number(readFileSync(join(embedded.directory, 'postmaster.pid'), 'utf8').split('\n')[0]);
  const backends = readdirSync('/proc')
    .map(Number)
    .filter(pid => pid > 0 && ticks(pid).parent === postmaster);
  const { own, gone } = ticks(postmaster);
  return (own + gone) * TICK + cpuOf(backends);
}

function ticks(pid: number): { parent: number; own: number; gone: number } {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const at = (index: number) => fields[index - 3] ?? 0;
    return { parent: at(4), own: at(14) + at(15), gone: at(16) + at(17) };
  } catch {
    return { parent: 0, own: 0, gone: 0 };
  }
}
