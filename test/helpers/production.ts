import { copyFileSync, cpSync, linkSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Fills a folder with the project as it stands after `npm ci --omit=dev`: without the packages that only development needs. */
export function installProduction(folder: string): void {
  for (const name of [
    'api',
    'bin',
    'shared',
    'sql',
    'workers',
    'Procfile',
    'package.json',
    'package-lock.json',
    'tsconfig.json',
  ])
    cpSync(name, join(folder, name), { recursive: true });
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
    packages: Record<string, { dev?: boolean }>;
  };
  for (const [path, { dev }] of Object.entries(packages)) if (path && !dev) linkPackage(path, folder);
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
