import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { ListError } from './list_error.ts';

/** The files in a folder, or the file itself, whichever `path` is. Fails with `ListError` where it is neither. */
export async function filesAt(path: string): Promise<{ folder: string; names: string[]; given: string | null }> {
  const stats = await stat(path).catch(() => null);
  if (!stats) throw new ListError(basename(path), null, `there is no such file or folder (${path})`);
  if (!stats.isDirectory()) return { folder: dirname(path), names: [basename(path)], given: basename(path) };
  return { folder: path, names: (await readdir(path)).toSorted(), given: null };
}

/**
 * The single file of a list: `path` itself, or the file in the folder that matches one of the patterns, tried in order. Fails with
 * `ListError` when there is none, or several match the same pattern.
 */
export async function oneFile(path: string, patterns: readonly RegExp[]): Promise<string[]> {
  const { folder, names, given } = await filesAt(path);
  if (given) return [path];
  for (const pattern of patterns) {
    const matching = names.filter(name => pattern.test(name));
    if (matching.length > 1)
      throw new ListError(
        basename(path),
        null,
        `the folder holds several such files (${matching.join(', ')}); name one`,
      );
    if (matching[0]) return [join(folder, matching[0])];
  }
  throw new ListError(basename(path), null, `the folder holds none of the files that this format reads`);
}
