import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { realpath, rename, rm, stat } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { asError, invalidRequest } from '#shared/interface/errors.ts';
import { csvCell } from '#shared/values/csv_cell.ts';

/**
 * Writes rows of CSV (RFC 4180) as fast as they are consumed, to `stdout`, or to a file that is replaced when everything is written. `row`
 * returns false when the reader has closed, like `head`. Throws `invalid_request` when the target is the file `input`, or not writable.
 */
export async function openOutput(path: string | undefined, input: string, stdout: Writable) {
  const target = path === undefined ? undefined : await targetOf(path, input);
  const beside = target?.isFile ? `${target.path}.${process.pid}.part` : target?.path;
  const stream: Writable = beside === undefined ? stdout : createWriteStream(beside, { mode: target?.mode });
  let failed: (Error & { code?: string }) | null = null;
  stream.on('error', error => (failed = error));
  const goesOn = () => {
    if (failed && failed.code !== 'EPIPE')
      throw invalidRequest(`${path ?? 'The output'} cannot be written: ${failed.message}.`);
    return failed === null;
  };
  const close = async () => {
    if (beside === undefined) return;
    stream.end();
    await finished(stream).catch(() => {});
  };
  return {
    async row(cells: readonly string[]) {
      const text = cells.map(csvCell).join(',');
      if (goesOn() && !stream.write(`${text}\n`)) await once(stream, 'drain').catch(() => {});
      return goesOn();
    },
    async end() {
      await close();
      if (!target?.isFile || !beside || !goesOn()) return;
      await rename(beside, target.path).catch((error: unknown) => {
        throw invalidRequest(`${path} cannot be written: ${asError(error).message}.`);
      });
    },
    /** Leaves the former file as it was. */
    async abandon() {
      await close();
      if (target?.isFile && beside) await rm(beside, { force: true });
    },
  };
}

/** The target: a file, existing or not, with its permissions, or something else, such as a pipe. */
async function targetOf(path: string, input: string) {
  const there = await stat(path).catch(() => null);
  if (!there) return { path, isFile: true, mode: 0o666 };
  const input_stats = await stat(input).catch(() => null);
  if (input_stats?.ino === there.ino && input_stats.dev === there.dev)
    throw invalidRequest(`${path} is the file that is screened; write to another.`);
  if (there.isDirectory()) throw invalidRequest(`${path} cannot be written: it is a folder.`);
  return { path: await realpath(path), isFile: there.isFile(), mode: there.mode & 0o777 };
}
