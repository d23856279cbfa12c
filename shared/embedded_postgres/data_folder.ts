import { createHash, randomBytes } from 'node:crypto';
import { link, lstat, readFile, readlink, realpath, rename, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { chooseAccount, closedFolder } from './account.ts';
import type { SystemAccount, FileOwner } from './account.ts';
import { makeFolder } from '#shared/values/folders.ts';
import { attempt, ifThere, unlessThere, writePrivate } from './files.ts';

/** The paths of one data folder, and the user of its server. */
export type DataFolder = {
  /** the data folder's real path */
  data_dir: string;
  /** the cluster's real path: `postgres` in the data folder, or what that links to */
  directory: string;
  log_file: string;
  /** null: the server runs as ourselves */
  account: SystemAccount | null;
  /** the owner of files we create in the data folder; null: we */
  owner: FileOwner | null;
  owner_password: string;
  service_password: string;
};

/** Where root keeps what an unprivileged server could not reach elsewhere. */
export const SHELTER = '/var/lib/agent-payment-oversight';

/** The place of a data folder, created if necessary, with its two passwords. */
export const findDataFolder = async (data_dir: string, say: (message: string) => void): Promise<DataFolder> => {
  const root = process.getuid?.() === 0;
  const wanted = resolve(data_dir);
  // An unprivileged server must be able to pass through the folder root creates, not to list it.
  await attempt(`make the data folder ${wanted}`, (async () => makeFolder(wanted, root ? 0o711 : 0o700))());
  const folder = await attempt(`enter the data folder ${wanted}`, realpath(wanted));
  const owner = await stat(folder);
  const cluster = root ? await findCluster(folder, owner, say) : { directory: await ownCluster(folder), account: null };
  const files = { data_dir: folder, log_file: join(folder, 'postgres.log'), owner: root ? owner : null };
  return {
    ...files,
    ...cluster,
    owner_password: await readPassword(join(folder, 'postgres-owner-password'), files.owner),
    service_password: await readPassword(join(folder, 'postgres-service-password'), files.owner),
  };
};

const findCluster = async (folder: string, owner: FileOwner, say: (text: string) => void) => {
  const directory = await ownCluster(folder);
  const account = await accountFor(directory, owner);
  const closed = await closedFolder(account, directory);
  if (!closed) return { directory, account };
  if (await isCluster(directory))
    throw new Error(
      `The database is in ${directory}, but the user ${account?.name}, who has to run it, may not enter ${closed}: ` +
        'allow it (chmod o+x), or run the service as the user the folder belongs to.',
    );
  // Named after the data folder, so that the next start finds it again.
  const name = createHash('sha256').update(folder).digest('hex').slice(0, 12);
  const sheltered = join(SHELTER, name);
  say(`the user ${account?.name} may not enter ${closed}, so the database is in ${sheltered}`);
  return { directory: sheltered, account: await accountFor(sheltered, owner) };
};

// A link instead of a folder leads to the shelter, or to where an operator moved the cluster.
const ownCluster = async (folder: string) => {
  const path = join(folder, 'postgres');
  await takePlaceOf(await leadsTo(path));
  if (!(await attempt(`look at ${path}`, ifThere(lstat(path))))) return path;
  const real = await ifThere(realpath(path));
  if (real) return real;
  throw new Error(
    `The database was in the folder that ${path} links to, and that folder is gone: ` +
      'bring it back, or remove the link to begin with an empty database.',
  );
};

/** Where a cluster lies that is whole, until it takes the place of one of an older version of PostgreSQL. */
export const readyBeside = (directory: string) => `${directory}.carried-over`;

// Between the two renames of an upgrade there is nothing in the cluster's place.
const takePlaceOf = async (directory: string) => {
  if (!(await ifThere(lstat(directory)))) await ifThere(rename(readyBeside(directory), directory));
};

const leadsTo = async (path: string) =>
  (await ifThere(lstat(path)))?.isSymbolicLink() ? resolve(dirname(path), await readlink(path)) : path;

const accountFor = async (directory: string, owner: FileOwner) =>
  chooseAccount((await isCluster(directory)) ? await stat(directory) : null, owner);

const isCluster = async (directory: string) => (await ifThere(stat(join(directory, 'PG_VERSION')))) !== null;

// Created once: the first process to link its draft into place wins, and all others read that one.
const readPassword = async (path: string, owner: FileOwner | null): Promise<string> => {
  const text = await attempt(`read ${path}`, ifThere(readFile(path, 'utf8')));
  if (text !== null) return text.trim();
  const writing = writePrivate(path, `${randomBytes(24).toString('base64url')}\n`, owner, link).catch(unlessThere);
  await attempt(`write ${path}`, writing);
  return readPassword(path, owner);
};
