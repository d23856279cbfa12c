import { execFile } from 'node:child_process';
import { readlink } from 'node:fs/promises';
import { promisify } from 'node:util';
import { errorCode } from '#shared/values/file_trouble.ts';

/** Whether a process with this number exists, whoever owns it. */
export const isAlive = (pid: number): boolean => {
  if (!Number.isSafeInteger(pid) || pid < 1) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
};

/**
 * Whether the process is a PostgreSQL server of the cluster: these work in their cluster's folder. A number from a stale postmaster.pid may
 * belong to any process by now, and a dead server that was not reaped keeps its number but has no folder.
 */
export const servesCluster = async (pid: number, directory: string): Promise<boolean> => {
  if (!isAlive(pid)) return false;
  if (process.platform === 'linux') return (await readlink(`/proc/${pid}/cwd`).catch(() => null)) === directory;
  // Without /proc any live PostgreSQL is taken for ours; the connection will tell.
  const { stdout } = await promisify(execFile)('/bin/ps', ['-o', 'args=', '-p', String(pid)]).catch(() => ({
    stdout: '',
  }));
  return stdout.includes('postgres');
};
