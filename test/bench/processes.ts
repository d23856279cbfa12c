import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { memoryOf } from './cpu.ts';

/** The flags that a process type is started with: the line of its name in the Procfile, or of a script in package.json. */
export function flagsOf(type: string, file = 'Procfile'): string[] {
  const line = readFileSync(file, 'utf8')
    .split('\n')
    .find(candidate => candidate.trimStart().replaceAll('"', '').startsWith(`${type}: `));
  return line?.match(/--[a-z][^\s"]*/g) ?? [];
}

const running = new Set<ChildProcess>();

/** Kills what a bench that threw has not stopped. */
export async function endProcesses(): Promise<void> {
  for (const child of running) {
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
}

/** A process of the Procfile, as in production. The API says where it listens; the others are not waited for. `hear`: what it logs. */
export async function startProcess(
  data_dir: string,
  script: string[],
  more: Record<string, string> = {},
  hear: (line: string) => void = () => {},
) {
  const settings = {
    DATA_DIR: data_dir,
    PORT: '0',
    LOG_LEVEL: 'info',
    RATE_LIMITS: 'off',
    // Of most figures only one side runs.
    BACKPRESSURE: 'behind=off',
    WEBHOOK_ALLOW_PRIVATE: 'true',
    ...more,
  };
  const child = spawn(process.execPath, [...process.execArgv, ...script], {
    env: { ...process.env, ...settings },
    stdio: ['ignore', 'pipe', script.includes('bin/start.ts') ? 'ignore' : 'inherit'],
  });
  running.add(child);
  child.once('exit', () => running.delete(child));
  const lines = createInterface({ input: child.stdout });
  const { promise, resolve } = Promise.withResolvers<string>();
  lines.on('line', line => {
    hear(line);
    const address = /"address":"([^"]+)"/.exec(line)?.[1];
    if (address) resolve(address);
  });
  return {
    address: script.some(file => file === 'api/main.ts' || file === 'bin/start.ts') ? await promise : '',
    child,
    pid: Number(child.pid),
    mostMemory: () => memoryOf(Number(child.pid)),
    /** Has the most be counted anew, from what it holds now. */
    forgetMemory: () => writeFile(`/proc/${child.pid}/clear_refs`, '5'),
    async stop() {
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
}
