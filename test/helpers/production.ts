import { copyFileSync, cpSync, linkSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { addressOf, runLine } from './process.ts';
import { until } from './until.ts';

/** Copies what a deployment needs of the project, without its packages. */
export function copyProject(folder: string): void {
  for (const name of [
    'api',
    'bin',
    'shared',
    'sql',
    'workers',
    'Procfile',
    'package.json',
    'package-lock.json',
    '.npmrc',
    'tsconfig.json',
  ])
    cpSync(name, join(folder, name), { recursive: true });
}

/** Fills a folder with the project as it stands after `npm ci --omit=dev`: without the packages that only development needs. */
export function installProduction(folder: string): void {
  copyProject(folder);
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
    packages: Record<string, { dev?: boolean }>;
  };
  for (const [path, { dev }] of Object.entries(packages)) if (path && !dev) linkPackage(path, folder);
}

/** `npm start` in a folder: the service gets ready, serves its dashboard, and ends cleanly. `PATH`, unless it is the machine's. */
export async function startsWhole(
  t: ExecutionContext,
  folder: string,
  settings: { PATH?: string } = {},
): Promise<void> {
  const service = runLine(t, 'npm start', folder, { DATA_DIR: join(folder, '.data'), PORT: '0', ...settings });
  const address = await addressOf(service);
  await until(async () => (await fetch(`${address}/readyz`)).ok);
  const page = await (await fetch(address)).text();
  const [, script = ''] = /src="(\/dashboard\/[^"]+\.js)"/.exec(page) ?? [];
  const loaded = await fetch(address + script);
  t.deepEqual([loaded.status, (await loaded.text()).includes('dashboard')], [200, true]);
  await service.says(/Ctrl-C/);
  service.kill('SIGTERM');
  t.is((await service.ended).code, 0, service.output());
}

/** Its files are linked, not copied, where the file system can: they are half a gigabyte. The packages within it follow by themselves. */
function linkPackage(path: string, folder: string): void {
  let entries;
  try {
    entries = readdirSync(path, { withFileTypes: true });
  } catch {
    // For another system.
    return;
  }
  mkdirSync(join(folder, path), { recursive: true });
  for (const entry of entries) {
    const file = join(path, entry.name);
    if (entry.isDirectory()) {
      // What installing a package has put into it is not in the lock file.
      if (entry.name !== 'node_modules') linkPackage(file, folder);
    } else if (entry.isFile()) linkOrCopy(file, join(folder, file));
  }
}

function linkOrCopy(file: string, link: string): void {
  try {
    linkSync(file, link);
  } catch {
    copyFileSync(file, link);
  }
}
