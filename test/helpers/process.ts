import { spawn } from 'node:child_process';
import { delimiter } from 'node:path';
import type { ExecutionContext } from 'ava';

export type Ended = { code: number | null; signal: string | null; stdout: string; stderr: string };

export type Child = {
  pid: number | undefined;
  /** What it wrote so far, on both streams. */
  output(): string;
  /** The first match of this pattern in what it writes; throws when the process ends without one. */
  says(pattern: RegExp): Promise<RegExpExecArray>;
  kill(signal: NodeJS.Signals): void;
  ended: Promise<Ended>;
};

// Settings of whoever runs the tests must not reach the process under test; what one of them has compiled, the next need not.
const { PATH = '', HOME, TMPDIR, NODE_COMPILE_CACHE } = process.env;

/** Runs a program of the service as a process of its own with just these settings; ended with the test. */
export function run(
  t: ExecutionContext,
  file: string,
  args: string[] = [],
  settings: Record<string, string> = {},
): Child {
  return follow(t, process.execPath, [file, ...args], '.', { PATH, NODE_COMPILE_CACHE, ...settings });
}

/** Runs a line in a folder as a machine's own shell does, where no program of a package is on the PATH; ended with the test. */
export function runLine(t: ExecutionContext, line: string, folder: string, settings: Record<string, string>): Child {
  const places = PATH.split(delimiter).filter(place => !place.includes('node_modules'));
  return follow(t, 'sh', ['-c', `exec ${line}`], folder, { PATH: places.join(delimiter), ...settings });
}

function follow(t: ExecutionContext, program: string, args: string[], cwd: string, settings: NodeJS.ProcessEnv): Child {
  const env = { HOME, TMPDIR, ...settings };
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], cwd, env });
  const written = { stdout: '', stderr: '' };
  let wake = () => {};
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].setEncoding('utf8').on('data', (text: string) => {
      written[stream] += text;
      wake();
    });
  }
  let over = false;
  const { promise: ended, resolve } = Promise.withResolvers<Ended>();
  child.on('close', (code, signal) => {
    over = true;
    wake();
    resolve({ code, signal, ...written });
  });
  t.teardown(async () => {
    // Asked first: a service that is killed leaves its embedded database running.
    child.kill('SIGTERM');
    const cut = setTimeout(() => child.kill('SIGKILL'), 20_000);
    await ended;
    clearTimeout(cut);
  });
  const output = () => written.stdout + written.stderr;
  return {
    pid: child.pid,
    output,
    ended,
    kill: signal => child.kill(signal),
    async says(pattern) {
      for (;;) {
        const match = pattern.exec(written.stdout) ?? pattern.exec(written.stderr);
        if (match) return match;
        if (over) throw new Error(`${[program, ...args].join(' ')} ended without saying ${pattern}:\n${output()}`);
        const { promise, resolve: next } = Promise.withResolvers<void>();
        wake = next;
        await promise;
      }
    },
  };
}

/** The address that a service says it answers at, once it does. */
export const addressOf = async (service: Child): Promise<string> =>
  (await service.says(/"address":"(http:\/\/127\.0\.0\.1:\d+)"/))[1] ?? '';
