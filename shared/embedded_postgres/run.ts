import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { runAs } from './account.ts';
import type { SystemAccount } from './account.ts';

/** The whole environment of PostgreSQL's programs: nothing of ours (PGDATA, LD_PRELOAD, TZ) may influence them. */
export const PROGRAM_ENV = { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };

type Options = { account: SystemAccount | null; input?: string; cwd?: string; signal?: AbortSignal };

/** Runs one of PostgreSQL's programs to its end and returns its output; throws with its stderr. */
export const runProgram = async (file: string, args: string[], { account, input = '', cwd = '/', signal }: Options) => {
  const running = promisify(execFile)(file, args, { cwd, env: PROGRAM_ENV, signal, ...runAs(account) });
  // A program that ends before reading its input has a better reason than EPIPE.
  running.child.stdin?.on('error', () => {});
  running.child.stdin?.end(input);
  try {
    return (await running).stdout;
  } catch (error) {
    const said =
      error instanceof Error && 'stderr' in error && typeof error.stderr === 'string' ? error.stderr.trim() : '';
    throw said ? new Error(said, { cause: error }) : error;
  }
};
