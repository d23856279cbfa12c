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
  return follow(t, 'sh', ['-c', `exec ${line}`], folder, { PATH: machinePath, ...settings });
}

const machinePath = PATH.split(delimiter)
  .filter(place => !place.includes('node_modules'))
  .join(delimiter);

/** Runs several lines as `runLine` does one. A signal goes to every process that they have started, as Ctrl-C at a terminal does. */
export const runLines = (t: ExecutionContext, lines: string, folder: string, settings: Record<string, string>): Child =>
  // The shell waits for what it has started, and answers with how that ended.
  follow(t, 'sh', ['-ec', `trap '' TERM\n${lines}`], folder, { PATH: machinePath, ...settings }, { group: true });

function follow(
  t: ExecutionContext,
  program: string,
  args: string[],
  cwd: string,
  settings: NodeJS.ProcessEnv,
  { group = false } = {},
): Child {
  const env = { HOME, TMPDIR, ...settings };
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], cwd, env, detached: group });
  const kill = (signal: NodeJS.Signals) => {
    if (!group) child.kill(signal);
    else if (child.exitCode === null && child.signalCode === null) process.kill(-Number(child.pid), signal);
  };
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
    kill('SIGTERM');
    const cut = setTimeout(kill, 20_000, 'SIGKILL');
    await ended;
    clearTimeout(cut);
  });
  const output = () => written.stdout + written.stderr;
  return {
    pid: child.pid,
    output,
    ended,
    kill,
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
