import { createWriteStream } from 'node:fs';
import { chmod, lstat, mkdir, rename } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { syncFolder } from '#shared/embedded_postgres/files.ts';
import { inWorkshop } from '#shared/embedded_postgres/workshop.ts';
import { asError, conflict, invalidRequest, Problem } from '#shared/interface/errors.ts';
import { createStorage } from '#shared/platform/storage/open_storage.ts';
import { StorageFault } from '#shared/platform/storage/storage.ts';
import { errorCode } from '#shared/values/file_trouble.ts';

/**
 * Lets `make` write a backup, and moves it to its target when complete: a file, or an object of a bucket
 * (`s3://bucket/path/name.backup?region=…`). Throws `conflict` when something else than a
 * file is in its place, and `invalid_request` when the target refuses it; the former backup then stays.
 */
export async function storeBackup<T>(target: string, data_dir: string, make: (file: string) => Promise<T>): Promise<T> {
  const bucket = bucketOf(target);
  const path = bucket ? join(data_dir, 'unfinished', 'backup') : resolve(target);
  try {
    if (bucket) await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    else await needPlace(path);
    return await inWorkshop(path, async folder => {
      const file = join(folder, 'backup');
      const result = await make(file);
      if (bucket) {
        const storage = await createStorage({ storage_url: bucket.url, data_dir });
        await storage.put(bucket.name, file);
      } else {
        await rename(file, path);
        await syncFolder(dirname(path));
      }
      return result;
    });
  } catch (error) {
    throw describe(error, `The backup cannot be written to ${shown(target)}`);
  }
}

/** A backup is moved into place: it would replace a device, a pipe or a link, not write to it. */
async function needPlace(path: string): Promise<void> {
  const there = await lstat(path).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  });
  if (there && !there.isFile()) throw conflict(`${path} is there and is no file. Name a file.`);
}

/**
 * Lets `work` read a backup, a file or an object of a bucket, with a temporary folder on the disk of `beside`, which is removed afterwards;
 * the programs of the embedded database may pass through it.
 */
export async function withBackup<T>(
  source: string,
  beside: string,
  data_dir: string,
  work: (file: string, folder: string) => Promise<T>,
): Promise<T> {
  let begun = false;
  return inWorkshop(beside, async folder => {
    begun = true;
    await chmod(folder, 0o711);
    const bucket = bucketOf(source);
    if (!bucket) return work(resolve(source), folder);
    const file = join(folder, 'fetched');
    try {
      const storage = await createStorage({ storage_url: bucket.url, data_dir });
      const file_stored = await storage.get(bucket.name);
      if (!file_stored) throw invalidRequest(`There is no backup at ${shown(source)}.`);
      await pipeline(file_stored.body, createWriteStream(file, { flags: 'wx', mode: 0o600 }));
    } catch (error) {
      throw describe(error, `The backup ${shown(source)} cannot be read`);
    }
    return work(file, folder);
  }).catch((error: unknown) => {
    if (begun) throw error;
    throw invalidRequest(`${dirname(beside)} is no folder that this user may write to (${errorCode(error)}).`);
  });
}

/** The target without parts that may hold a key. */
export const shown = (target: string): string => target.replace(/^(s3:\/\/)[^/@]*@/, '$1').replace(/\?.*$/, '');

/** The bucket's own URL, and the name of the object in it. */
function bucketOf(target: string): { url: string; name: string } | null {
  if (!target.startsWith('s3:')) return null;
  const url = URL.parse(target);
  const [, prefix = '', name = ''] = /^(.*)\/([^/]+)$/.exec(url?.pathname ?? '') ?? [];
  if (!url || name === '')
    throw invalidRequest('A backup in a bucket is named like s3://bucket/path/name.backup?region=eu-central-1.');
  url.pathname = prefix;
  return { url: url.href, name: decodeURIComponent(name) };
}

function describe(error: unknown, what: string): unknown {
  const cause: Error & { code?: unknown; syscall?: unknown } = asError(
    error instanceof StorageFault ? error.cause : error,
  );
  if (error instanceof Problem) return error;
  return error instanceof StorageFault || cause.syscall !== undefined
    ? invalidRequest(`${what}: ${cause.message}.`)
    : error;
}
