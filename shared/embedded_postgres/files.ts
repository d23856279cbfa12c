import { randomBytes } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { errorCode, reasonOf } from '#shared/values/file_trouble.ts';
import type { FileOwner } from './account.ts';

/** Awaits work, and rethrows a failure as a sentence with what could not be done and why. */
export const attempt = async <T>(doing: string, work: Promise<T>): Promise<T> => {
  try {
    return await work;
  } catch (error) {
    throw new Error(`Cannot ${doing}: ${reasonOf(error)}.`, { cause: error });
  }
};

/** The work's value, or null when the file is not there. */
export const ifThere = async <T>(work: Promise<T>): Promise<T | null> => {
  try {
    return await work;
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return null;
    throw error;
  }
};

/** For `catch`: another process did the same at the same moment and was first, which is just as good. */
export const unlessThere = (error: unknown) => {
  if (errorCode(error) !== 'EEXIST' && errorCode(error) !== 'ENOTEMPTY') throw error;
};

/** Writes a private file (0600) next to `path`, flushed to disk; `publish` moves it into place at once. */
export const writePrivate = async (
  path: string,
  text: string,
  owner: FileOwner | null,
  publish: (from: string, to: string) => Promise<void> = rename,
) => {
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    const file = await open(draft, 'wx', 0o600);
    try {
      if (owner) await file.chown(owner.uid, owner.gid);
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await publish(draft, path);
    await syncFolder(dirname(path));
  } finally {
    await rm(draft, { force: true });
  }
};

/** A rename in the folder survives a power cut after this. */
export const syncFolder = async (folder: string) => {
  const handle = await open(folder, 'r');
  await handle.sync().finally(() => handle.close());
};
