import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { flagsOf, startProcess } from './processes.ts';
import type { Bench } from './run.ts';
import { freePort } from '#test/helpers/listening.ts';

/** How soon each process is ready where what it is made of has been compiled before, in milliseconds. */
const SOON = 1_500;
/** How long a process is left alone before its memory is looked at, in milliseconds: what is needed only at the start has gone. */
const REST = 8_000;
/** The most MB that a process may hold then; of the others nothing was set. */
const most: Record<string, number> = { detect: 120, webhook: 120, schedule: 120 };
const types = ['web', 'detect', 'screen', 'pack', 'webhook', 'schedule'];

/** How long each process of the Procfile takes to be ready, at its first start and at later ones, and what it holds when it has nothing to do. */
export async function starting({ data_dir, figure }: Bench): Promise<void> {
  const settings = { NODE_COMPILE_CACHE: join(data_dir, 'compiled') };
  for (const type of types) {
    await rm(settings.NODE_COMPILE_CACHE, { recursive: true, force: true });
    const script = [...flagsOf(type), ...(type === 'web' ? ['api/main.ts'] : ['workers/main.ts', type])];
    const start = async () => {
      const METRICS_PORT = String(await freePort());
      const began = performance.now();
      const process = await startProcess(data_dir, script, { ...settings, METRICS_PORT });
      while (!(await isReady(METRICS_PORT))) await pause(5);
      return { ...process, took: performance.now() - began };
    };
    const first = await start();
    await first.stop();
    const later = await start();
    figure(
      `${type}: ready after, ms`,
      later.took,
      `limit ${SOON.toLocaleString('en')}; at its first start ${Math.round(first.took)}`,
    );
    await pause(REST);
    await later.forgetMemory();
    figure(`${type}: at rest, MB`, await later.mostMemory(), most[type] === undefined ? '' : `limit ${most[type]}`);
    await later.stop();
  }
}

const isReady = (port: string) =>
  fetch(`http://127.0.0.1:${port}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  );
