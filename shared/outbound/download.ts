import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { asError } from '#shared/interface/errors.ts';
import { MINUTE, SECOND } from '#shared/values/time.ts';
import { failureText } from './failure.ts';
import type { Resolve } from './target.ts';
import { DownloadError } from './download_error.ts';
import { createFetcher, type Fetched, type Validators } from './download_file.ts';

export type DownloadOptions = {
  /** The addresses of files that belong together: https, or http too with `allow_private`. */
  urls: readonly string[];
  /** The parent of a new folder for the files; created if necessary. */
  folder: string;
  /** Allows private and loopback targets, and http. */
  allow_private?: boolean;
  /** From the last download, by address: unchanged files are not sent again. */
  validators?: Readonly<Record<string, Validators>>;
  /** The most bytes of one file after decompression. */
  max_bytes?: number;
  /** Total milliseconds for one file. */
  timeout?: number;
  /** Milliseconds without a byte. */
  idle_timeout?: number;
  resolve?: Resolve;
};

type Download =
  | { state: 'unchanged' }
  | {
      state: 'downloaded';
      /** The file, or the folder of several. The caller removes `folder` after reading. */
      path: string;
      folder: string;
      /** For the next time. */
      validators: Record<string, Validators>;
    };

/**
 * Fetches files into a new folder: conditionally, over guarded connections, through at most five redirects, each checked like the first
 * address. If any file changed, all are fetched, because they belong together. Fails with `DownloadError`, whose message has neither
 * credentials nor query of an address, and leaves nothing behind.
 */
export async function downloadFiles(options: DownloadOptions): Promise<Download> {
  await mkdir(options.folder, { recursive: true });
  const folder = await mkdtemp(join(options.folder, 'files-'));
  const fetcher = createFetcher({
    allow_private: options.allow_private ?? false,
    max_bytes: options.max_bytes ?? 1_024 ** 3,
    timeout: options.timeout ?? 15 * MINUTE,
    idle_timeout: options.idle_timeout ?? 60 * SECOND,
    resolve: options.resolve,
  });
  try {
    const fetched = await fetchAll(options, folder, fetcher.fetch);
    if (fetched) return { state: 'downloaded', folder, ...fetched };
    await rm(folder, { recursive: true, force: true });
    return { state: 'unchanged' };
  } catch (thrown) {
    await rm(folder, { recursive: true, force: true });
    throw thrown instanceof DownloadError ? thrown : new DownloadError(failureText(asError(thrown)));
  } finally {
    await fetcher.close();
  }
}

type Fetch = (url: string, folder: string, validators: Validators | null) => Promise<Fetched | null>;

/** Null when no file has changed. */
async function fetchAll({ urls, validators = {} }: DownloadOptions, folder: string, fetch: Fetch) {
  if (urls.length === 0) throw new DownloadError('there is no address to fetch from');
  const fetched = new Map<string, Fetched | null>();
  for (const url of urls) fetched.set(url, await fetch(url, folder, validators[url] ?? null));
  if ([...fetched.values()].every(file => file === null)) return null;
  for (const [url, file] of fetched) if (!file) fetched.set(url, await fetch(url, folder, null));
  const files = [...fetched.values()].filter(file => file !== null);
  return {
    path: files.length === 1 && files[0] ? files[0].path : folder,
    validators: Object.fromEntries([...fetched].flatMap(([url, file]) => (file ? [[url, file.validators]] : []))),
  };
}
