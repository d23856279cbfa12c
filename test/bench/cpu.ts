import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The milliseconds of a processor that a process has used so far, those of children that have ended included; on Linux. */
export async function cpuOf(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // The name, in brackets, may hold blanks.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return [11, 12, 13, 14].reduce((sum, index) => sum + Number(fields[index] ?? 0), 0) * TICK;
}

/** The most memory that a process has had at once so far (RSS), in megabytes; on Linux. */
export async function memoryOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/^VmHWM:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1_024;
}

/** The bytes that a process has read and written so far, of sockets above all; on Linux. */
export async function bytesOf(pid: number): Promise<number> {
  const counters = await readFile(`/proc/${pid}/io`, 'utf8').catch(() => '');
  return [/^rchar: (\d+)/m, /^wchar: (\d+)/m].reduce((sum, line) => sum + Number(line.exec(counters)?.[1] ?? 0), 0);
}

/** The milliseconds that a PostgreSQL server has used, all its processes together, by the folder of its cluster. */
export async function cpuOfDatabase(directory: string): Promise<number> {
  const [first = ''] = (await readFile(join(directory, 'postmaster.pid'), 'utf8')).split('\n');
  const all = (await readdir('/proc')).filter(name => /^\d+$/.test(name));
  const parents = await Promise.all(all.map(async pid => [pid, await parentOf(pid)] as const));
  const own = [first, ...parents.filter(([, parent]) => parent === first).map(([pid]) => pid)];
  const times = await Promise.all(own.map(pid => cpuOf(Number(pid))));
  return times.reduce((sum, time) => sum + time, 0);
}

/** What the kernel counts by, in milliseconds: 100 a second. */
const TICK = 10;

async function parentOf(pid: string): Promise<string | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1];
}
