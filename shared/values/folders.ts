import { mkdirSync, type Stats, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** Makes a folder and those above it. Node's own way to do so never ends where nothing can be made, such as in `/proc`. */
export function makeFolder(path: string, mode?: number): void {
  if (statOf(path)?.isDirectory()) return;
  const above = dirname(path);
  if (above !== path) makeFolder(above, mode);
  try {
    mkdirSync(path, mode);
  } catch (error) {
    // Another process may have made it.
    if (!statOf(path)?.isDirectory()) throw error;
  }
}

/** Whether a folder is there, or nothing is in its way. */
export const mayBeFolder = (path: string): boolean => {
  const above = dirname(path);
  return statOf(path)?.isDirectory() ?? (above === path || mayBeFolder(above));
};

/** What is at a path; undefined where nothing is, or may be seen. */
function statOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}
