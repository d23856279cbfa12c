import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode, reasonOf } from '#shared/values/file_trouble.ts';
import { makeFolder } from '#shared/values/folders.ts';

/** The text of a file of this name in DATA_DIR that only the service's account can read: it is made when it is first asked for. */
export function madeOnce(data_dir: string, name: string, make: () => string): string {
  const path = join(data_dir, name);
  try {
    return makeOnce(data_dir, path, make);
  } catch (error) {
    throw new Error(`Cannot write ${path}: ${reasonOf(error)}.`, { cause: error });
  }
}

function makeOnce(data_dir: string, path: string, make: () => string): string {
  makeFolder(data_dir);
  // 'wx' lets exactly one of several processes that start at once make it; the others read it.
  if (!existsSync(path)) {
    const text = make();
    try {
      writeFileSync(path, text, { flag: 'wx', mode: 0o600 });
      made.set(text, path);
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') throw error;
    }
  }
  return readFileSync(path, 'utf8').trim();
}

/** The files that this process made and nothing rests on yet, by their texts. */
const made = new Map<string, string>();

/** Something rests on the file with this text from now on: it is not taken back. */
export const keepMade = (text: string): void => void made.delete(text);

/** Removes the file with this text again if this process made it and nothing rests on it; returns whether. */
export function takeBack(text: string): boolean {
  const path = made.get(text);
  if (path !== undefined) rmSync(path, { force: true });
  return path !== undefined;
}
