import { constants, open } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { errorCode } from '#shared/values/file_trouble.ts';
import { attempt } from './files.ts';
import type { DataFolder } from './data_folder.ts';

const APPEND = constants.O_WRONLY | constants.O_APPEND | constants.O_NOFOLLOW;
const CREATE = constants.O_CREAT | constants.O_EXCL;

/** The server's log, opened for appending; private, and owned by the owner of the data folder. Links are not followed. */
export const openLog = (place: DataFolder) => attempt(`write ${place.log_file}`, openOrMake(place));

/** The last lines of the log, for an error message; empty when there is none. */
export const logTail = async (log_file: string, lines = 15): Promise<string> => {
  const file = await open(log_file, 'r').catch(() => null);
  if (!file) return '(nothing)';
  try {
    const { size } = await file.stat();
    const length = Math.min(size, 8192);
    const { buffer } = await file.read(Buffer.alloc(length), 0, length, size - length);
    return buffer.toString('utf8').trimEnd().split('\n').slice(-lines).join('\n');
  } finally {
    await file.close();
  }
};

const openOrMake = async ({ log_file, owner }: DataFolder): Promise<FileHandle> => {
  try {
    return await open(log_file, APPEND);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
  }
  try {
    const file = await open(log_file, APPEND | CREATE, 0o600);
    if (owner) await file.chown(owner.uid, owner.gid);
    return file;
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
    return open(log_file, APPEND);
  }
};
