import { readFile, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/** A user of this machine by numeric ids. */
export type SystemAccount = { name: string; uid: number; gid: number };

export type FileOwner = { uid: number; gid: number };

/**
 * The user PostgreSQL runs as: null for the current user. It refuses to run as root, so root gives it an unprivileged user: the owner of
 * the cluster if there is one, else of the data folder, else `postgres`, else `nobody`.
 */
export const chooseAccount = async (cluster: FileOwner | null, data_dir: FileOwner): Promise<SystemAccount | null> => {
  if (process.getuid?.() !== 0) return null;
  const accounts = await listAccounts();
  if (cluster && cluster.uid !== 0) return accounts.find(byUid(cluster)) ?? { ...cluster, name: `uid ${cluster.uid}` };
  // initdb needs a user with a name, so an owner without one is not suitable.
  const owner = data_dir.uid === 0 ? undefined : accounts.find(byUid(data_dir));
  const account = owner ?? accounts.find(byName('postgres')) ?? accounts.find(byName('nobody'));
  if (account) return account;
  throw new Error(
    'PostgreSQL refuses to run as root, and there is no user "postgres" or "nobody" to run it as: ' +
      'start the service as an ordinary user, or set DATABASE_URL to a PostgreSQL server.',
  );
};

/** The options of `spawn` that make a child run as the account. */
export const runAs = (account: SystemAccount | null) =>
  // spawn wants int32: the uid of nobody on macOS is -2, which is 4294967294 everywhere else
  account ? { uid: account.uid | 0, gid: account.gid | 0 } : {};

/** The first folder above `path` (a real path) that the account may not enter by its mode bits, or null. */
export const closedFolder = async (account: SystemAccount | null, path: string): Promise<string | null> => {
  if (!account) return null;
  const folder = dirname(path);
  if (folder !== path) {
    const above = await closedFolder(account, folder);
    if (above) return above;
  }
  const { uid, gid, mode } = await stat(folder);
  if (uid === account.uid) return mode & 0o100 ? null : folder;
  if (gid === account.gid) return mode & 0o010 ? null : folder;
  return mode & 0o001 ? null : folder;
};

const listAccounts = async () =>
  (await readFile('/etc/passwd', 'utf8'))
    .split('\n')
    .map(line => line.split(':'))
    .map(([name = '', , uid, gid]) => ({ name, uid: Number(uid) >>> 0, gid: Number(gid) >>> 0 }))
    .filter(account => account.uid !== 0);

const byUid = (owner: FileOwner) => (account: SystemAccount) => account.uid === owner.uid;
const byName = (name: string) => (account: SystemAccount) => account.name === name;
