import { createHash } from 'node:crypto';
import { mkdir, open, readFile, rename, stat, statfs, symlink } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import type { SystemAccount } from './account.ts';
import type { Binaries } from './binaries.ts';
import { attempt, ifThere, syncFolder, unlessThere, writePrivate } from './files.ts';
import type { DataFolder } from './data_folder.ts';
import { runProgram } from './run.ts';
import { inWorkshop } from './workshop.ts';

type Say = (message: string) => void;

/** Ensures that the place has a cluster that these binaries can serve and whose owner has our password. */
export const ensureCluster = async (place: DataFolder, binaries: Binaries, say: Say, signal: AbortSignal) => {
  const { directory, data_dir } = place;
  if ((await readMajor(directory)) === null) {
    needName();
    say(`making a PostgreSQL ${binaries.major} cluster in ${directory}`);
    await attempt(`make the folder ${dirname(directory)}`, mkdir(dirname(directory), { recursive: true, mode: 0o755 }));
    await needRoom(dirname(directory), 100);
    await attempt(`make a cluster in ${directory}`, makeCluster(place, binaries, signal));
  }
  await needMajor(directory, binaries.major);
  const { uid } = await stat(directory);
  const needed = place.account?.uid ?? process.getuid?.();
  if (uid !== needed)
    throw new Error(
      `The cluster in ${directory} belongs to the user ${uid}, not to ${needed}: run the service as that user.`,
    );
  // A sheltered cluster is linked in the data folder, and found again when that is moved.
  const shown = join(data_dir, 'postgres');
  if (!(await ifThere(stat(shown))))
    await attempt(`link ${shown} to ${directory}`, symlink(directory, shown).catch(unlessThere));
  if ((await readMark(directory)) !== markOf(place.owner_password)) await resetPassword(place, binaries, signal);
};

/** The major version of PostgreSQL that a cluster is of ('18'); null where there is none. */
export const readMajor = async (directory: string) => {
  const path = join(directory, 'PG_VERSION');
  return (await attempt(`read ${path}`, ifThere(readFile(path, 'utf8'))))?.trim() ?? null;
};

/** Throws when there is a cluster of another major version. */
export const needMajor = async (directory: string, major: string) => {
  const written_by = (await readMajor(directory)) ?? major;
  if (written_by === major) return;
  throw new Error(
    `The data in ${directory} are of PostgreSQL ${written_by}, and this is PostgreSQL ${major}` +
      (Number(written_by) > Number(major)
        ? ', which cannot read them: run the version of the service that wrote them, or a newer one. '
        : ': stop what runs on them, and run npm start, which carries them over and keeps them as they were. ') +
      'Nothing was changed.',
  );
};

// Created next to its place, then renamed: a cluster is there completely or not at all, and of two creators one wins.
const makeCluster = async (place: DataFolder, binaries: Binaries, signal: AbortSignal) => {
  const { directory, account, owner_password } = place;
  await inWorkshop(directory, async workshop => {
    if (account) await giveAway(workshop, account);
    const [cluster, password_file] = [join(workshop, 'cluster'), join(workshop, 'password')];
    await writePrivate(password_file, `${owner_password}\n`, account);
    const login = ['--username=postgres', `--pwfile=${password_file}`, '--auth=scram-sha-256'];
    const args = ['-D', cluster, ...login, '--encoding=UTF8', '--locale=C', '--no-instructions'];
    await runProgram(binaries.initdb, args, { account, signal });
    await writePrivate(markFile(cluster), markOf(owner_password), account);
    await rename(cluster, directory).catch(unlessThere);
    await syncFolder(dirname(directory));
  });
};

/** Throws when the disk of the folder has less than this many MB free. */
export const needRoom = async (folder: string, needed: number) => {
  const { bavail, bsize } = await statfs(folder);
  const free = Math.floor((bavail * bsize) / 2 ** 20);
  if (free < needed)
    throw new Error(
      `The disk of ${folder} is full (of ${needed} MB needed ${free} are free): make room, or choose another folder with DATA_DIR.`,
    );
};

// initdb requires the name, with a less clear message.
const needName = () => {
  try {
    return userInfo().username;
  } catch (error) {
    throw new Error(
      `PostgreSQL needs a user with a name, and the user ${process.getuid?.()} of this process has none: add one to ` +
        '/etc/passwd, run as another user, or set DATABASE_URL to a PostgreSQL server.',
      { cause: error },
    );
  }
};

// By handle, not by name: in a folder that is not root's, the name could be swapped for a link.
const giveAway = async (folder: string, account: SystemAccount) => {
  const handle = await open(folder, 'r');
  await handle.chown(account.uid, account.gid).finally(() => handle.close());
};

// The cluster keeps a hash of its owner's password. When the password file was lost or replaced, PostgreSQL's single-user
// mode, which asks for none, sets the new one; it takes the same lock as a server.
const resetPassword = async (
  { directory, account, owner_password }: DataFolder,
  binaries: Binaries,
  signal: AbortSignal,
) => {
  const input = `alter role postgres password '${owner_password.replaceAll("'", "''")}'\n`;
  const safely = ['exit_on_error=on', 'log_min_error_statement=panic'].flatMap(setting => ['-c', setting]);
  const args = ['--single', '-D', directory, ...safely, 'postgres'];
  const doing = `set the owner's password of ${directory}`;
  await attempt(doing, runProgram(binaries.postgres, args, { account, input, cwd: directory, signal }));
  await writePrivate(markFile(directory), markOf(owner_password), account);
};

const markFile = (directory: string) => join(directory, 'owner-password.sha256');
const readMark = async (directory: string) => (await ifThere(readFile(markFile(directory), 'utf8')))?.trim();
const markOf = (password: string) => createHash('sha256').update(password).digest('hex');
